import type { Clock, Timer } from "@homeostat/core";
import type { PortState } from "@homeostat/tunnel";

/** Connects to a local port. Resolves with its state. */
export type ProbePort = (
  port: { readonly host: string; readonly port: number },
  signal: AbortSignal,
) => Promise<PortState>;

/** A local port that is checked. */
export interface CheckedPort {
  readonly name: string;
  readonly host: string;
  readonly port: number;
}

/** Options of {@link TargetCheck}. */
export interface TargetCheckOptions {
  readonly clock: Clock;
  readonly ports: readonly CheckedPort[];
  readonly probe: ProbePort;
  /** Called with the first state of a port, and when it changes. */
  readonly onState: (name: string, state: PortState) => void;
}

const intervalMs = 2_000;
const probeMs = 1_000;

/** Checks local ports every 2 s, unless a connection from the cluster has reached them lately, and reports changes. */
export class TargetCheck implements Disposable {
  readonly #options: TargetCheckOptions;
  readonly #states = new Map<string, PortState>();
  readonly #reachedAt = new Map<string, number>();
  readonly #stopping = new AbortController();
  #timer: Timer | undefined;

  constructor(options: TargetCheckOptions) {
    this.#options = options;
  }

  start(): void {
    void this.#check();
  }

  /** The states of all ports that were checked. */
  get states(): ReadonlyMap<string, PortState> {
    return this.#states;
  }

  /** Records the result of a connection from the cluster, which replaces a check. */
  note(name: string, state: PortState): void {
    this.#reachedAt.set(name, this.#options.clock.monotonic());
    this.#set(name, state);
  }

  [Symbol.dispose](): void {
    this.#stopping.abort();
    this.#timer?.[Symbol.dispose]();
  }

  async #check(): Promise<void> {
    const { clock, ports, probe } = this.#options;
    const { signal } = this.#stopping;
    await Promise.all(
      ports.map(async ({ name, host, port }) => {
        const reachedAt = this.#reachedAt.get(name);
        const isFresh = reachedAt !== undefined && clock.monotonic() - reachedAt < intervalMs;
        if (isFresh && this.#states.get(name) === "listening") return;
        using timeout = clock.timeout(probeMs);
        const state = await probe({ host, port }, AbortSignal.any([signal, timeout.signal]));
        if (!signal.aborted) this.#set(name, state);
      }),
    );
    if (!signal.aborted) this.#timer = clock.schedule(intervalMs, () => void this.#check());
  }

  #set(name: string, state: PortState): void {
    if (this.#states.get(name) === state) return;
    this.#states.set(name, state);
    this.#options.onState(name, state);
  }
}
