import { formatElapsedMs } from "@homeostat/core";
import { type Component, components } from "../api/identity.ts";

/** A closed gate of a component. */
export interface Gate {
  readonly name: string;
  readonly message: string;
}

/** The time for which a component waited for a gate. */
export interface GateWait {
  readonly component: Component;
  readonly gate: string;
  readonly fromMs: number;
  readonly toMs: number;
}

interface OpenWait extends Gate {
  readonly sinceMs: number;
}

/** Records which gates were closed, and for how long. */
export class GateWaits {
  readonly #open = new Map<Component, OpenWait>();
  readonly #ended: GateWait[] = [];
  /** Waits before this index belong to earlier restarts of the component. */
  readonly #reported = new Map<Component, number>();

  /** Records the first closed gate of a component; undefined if all are open. */
  observe(component: Component, gate: Gate | undefined, atMs: number): void {
    const open = this.#open.get(component);
    if (open !== undefined && open.name === gate?.name) {
      this.#open.set(component, { ...open, message: gate.message });
      return;
    }
    this.#end(component, atMs);
    if (gate !== undefined) this.#open.set(component, { ...gate, sinceMs: atMs });
  }

  /** Returns the waits of a component since its last restart, by gate. */
  takeForRestart(component: Component, atMs: number): ReadonlyMap<string, number> {
    this.#end(component, atMs);
    const own = this.#ended.filter((wait) => wait.component === component);
    const waits = own.slice(this.#reported.get(component) ?? 0);
    this.#reported.set(component, own.length);
    return sumByGate(waits);
  }

  /** The gates that are closed now. */
  get closed(): readonly (OpenWait & { readonly component: Component })[] {
    return [...this.#open].map(([component, open]) => ({ component, ...open }));
  }

  /** Returns the waits of each component by gate, with those that have not ended. */
  totals(atMs: number): ReadonlyMap<Component, ReadonlyMap<string, number>> {
    const open = this.closed.map(({ component, name, sinceMs }) => ({
      component,
      gate: name,
      fromMs: sinceMs,
      toMs: atMs,
    }));
    const all = [...this.#ended, ...open];
    return new Map(
      components.flatMap((component) => {
        const own = all.filter((wait) => wait.component === component);
        return own.length === 0 ? [] : [[component, sumByGate(own)] as const];
      }),
    );
  }

  #end(component: Component, atMs: number): void {
    const open = this.#open.get(component);
    if (open === undefined) return;
    this.#open.delete(component);
    if (atMs > open.sinceMs) this.#ended.push({ component, gate: open.name, fromMs: open.sinceMs, toMs: atMs });
  }
}

/** Returns waits in one phrase: `NewPodNotReady 23s, Delay 4s`. */
export function describeWaits(waits: ReadonlyMap<string, number>): string {
  return [...waits].map(([gate, ms]) => `${gate} ${formatElapsedMs(ms)}`).join(", ");
}

function sumByGate(waits: readonly GateWait[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const { gate, fromMs, toMs } of waits) sums.set(gate, (sums.get(gate) ?? 0) + toMs - fromMs);
  return sums;
}
