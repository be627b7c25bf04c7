import type { Clock } from "@homeostat/core";
import { type ClientShare, mayTake } from "../limits/client-share.ts";
import type { ProxyLimits } from "../limits/limits.ts";
import type { Destination, ForwardPlan, RespondPlan } from "./route-plan.ts";

/** Dependencies of {@link Holds}. */
export interface HoldsOptions {
  readonly clock: Clock;
  readonly limits: Pick<ProxyLimits, "heldMax" | "heldBytesMax">;
  /** Called when the first request waits for a workload, which may be scaled to zero. */
  readonly wake?: ((destination: Destination) => void) | undefined;
}

/** A plan that ends the wait of a request. */
export type HeldPlan = ForwardPlan | RespondPlan;

/** A request that waits for a ready target. */
export interface HeldRequest {
  readonly destination: Destination;
  readonly workload: string;
  readonly bytes: number;
  readonly holdMs: number;
  /** Returns the plan after a change of the tables, or undefined if the request goes on waiting. */
  readonly retry: () => HeldPlan | undefined;
  /** Returns the plan when the time is over. */
  readonly expired: () => HeldPlan;
  /** Returns the plan if the workload has too many waiting requests or bytes. */
  readonly overflow: () => HeldPlan;
}

interface Load {
  readonly destination: Destination;
  requests: number;
  bytes: number;
}

/** Requests that wait for a ready target, with limits per workload. */
export class Holds {
  readonly #options: HoldsOptions;
  readonly #loads = new Map<string, Load>();
  readonly #retries = new Set<() => void>();

  constructor(options: HoldsOptions) {
    this.#options = options;
  }

  /** Number of waiting requests. */
  get size(): number {
    return this.#retries.size;
  }

  /** Waits for a plan. Rejects when the signal aborts. `client` is the connection of the client, if it may send several requests at a time. */
  wait(request: HeldRequest, signal: AbortSignal, client?: ClientShare): Promise<HeldPlan> {
    const { clock, wake } = this.#options;
    if (signal.aborted) return Promise.reject(signal.reason);
    if (!this.#reserve(request, client)) return Promise.resolve(request.overflow());
    return new Promise((resolve, reject) => {
      const release = (): void => {
        timer[Symbol.dispose]();
        signal.removeEventListener("abort", abort);
        this.#retries.delete(retry);
        this.#free(request, client);
      };
      const abort = (): void => {
        release();
        reject(signal.reason);
      };
      const retry = (): void => {
        const plan = request.retry();
        if (plan === undefined) return;
        release();
        resolve(plan);
      };
      const timer = clock.schedule(request.holdMs, () => {
        release();
        resolve(request.expired());
      });
      signal.addEventListener("abort", abort, { once: true });
      this.#retries.add(retry);
      if (this.#loads.get(request.workload)?.requests === 1) wake?.(request.destination);
    });
  }

  /** Returns the destinations that requests wait for, with their number. */
  *waiting(): Iterable<{ readonly destination: Destination; readonly requests: number }> {
    yield* this.#loads.values();
  }

  /** Decides about all waiting requests again, after a change of the tables. */
  retryAll(): void {
    for (const retry of this.#retries) retry();
  }

  #reserve({ workload, bytes, destination }: HeldRequest, client: ClientShare | undefined): boolean {
    const { heldMax, heldBytesMax } = this.#options.limits;
    const load = this.#loads.get(workload) ?? { destination, requests: 0, bytes: 0 };
    const isFull = !mayTake({ own: client?.held ?? 0, all: load.requests, max: heldMax });
    if (isFull || load.bytes + bytes > heldBytesMax) return false;
    if (client !== undefined) client.held += 1;
    load.requests += 1;
    load.bytes += bytes;
    this.#loads.set(workload, load);
    return true;
  }

  #free({ workload, bytes }: HeldRequest, client: ClientShare | undefined): void {
    if (client !== undefined) client.held -= 1;
    const load = this.#loads.get(workload);
    if (load === undefined) return;
    load.requests -= 1;
    load.bytes -= bytes;
    if (load.requests === 0) this.#loads.delete(workload);
  }
}
