import type { Clock, Random } from "@homeostat/core";
import { type ClientShare, mayTake } from "../limits/client-share.ts";
import type { ProxyLimits } from "../limits/limits.ts";
import type { AttemptEvent, AttemptResult, Balancer } from "./balancer.ts";

/** Dependencies of a {@link TwoChoiceBalancer}. */
export interface BalancerOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly limits: Pick<ProxyLimits, "pendingMax">;
}

const failuresMax = 5;
const ejectionMs = 10_000;
const ejectionMsMax = 60_000;

/** State of one address. */
interface Target {
  running: number;
  /** Failures since the last success. */
  failures: number;
  /** Monotonic time until which the address is left out. */
  ejectedUntil: number;
  /** Duration of the last ejection; 0 after a success. */
  ejectionMs: number;
}

/**
 * Of two random targets, takes the one with fewer running requests: close to the least loaded one without comparing them all, and without
 * sending every request of many proxies to the same new target.
 *
 * A target that fails five times in a row is left out for 10 s, then for twice as long after each further failure, up to 60 s. At most half of
 * the targets of a workload are left out: the others could not carry the load, and if all fail, the reason is more likely on this side.
 */
export class TwoChoiceBalancer implements Balancer {
  readonly #options: BalancerOptions;
  readonly #targets = new Map<string, Target>();
  readonly #pending = new Map<string, number>();

  constructor(options: BalancerOptions) {
    this.#options = options;
  }

  choose(
    workload: string,
    targets: readonly string[],
    tried?: ReadonlySet<string>,
    client?: ClientShare,
  ): string | undefined {
    const all = this.#pending.get(workload) ?? 0;
    if (!mayTake({ own: client?.pending ?? 0, all, max: this.#options.limits.pendingMax })) return undefined;
    if (targets.length === 1) return targets[0];
    const usable = this.#usable(targets, tried);
    if (usable.length <= 1) return usable[0];
    const { random } = this.#options;
    const first = random.int(usable.length);
    const second = (first + 1 + random.int(usable.length - 1)) % usable.length;
    const [one, other] = [usable[first], usable[second]];
    return this.#running(other) < this.#running(one) ? other : one;
  }

  begin(workload: string, target: string, client?: ClientShare): (event: AttemptEvent) => void {
    const state = this.#state(target);
    if (client !== undefined) client.pending += 1;
    state.running += 1;
    this.#pending.set(workload, (this.#pending.get(workload) ?? 0) + 1);
    let isPending = true;
    let isRunning = true;
    return (event) => {
      if (isPending) {
        isPending = false;
        if (client !== undefined) client.pending -= 1;
        this.#endPending(workload);
      }
      if (event === "answered" || !isRunning) return;
      isRunning = false;
      state.running -= 1;
      this.#record(target, state, event);
    };
  }

  isHealthy(target: string): boolean {
    const state = this.#targets.get(target);
    return state === undefined || state.ejectedUntil === 0 || state.ejectedUntil <= this.#options.clock.monotonic();
  }

  /** Returns the addresses that have running requests. */
  *busy(): Iterable<string> {
    for (const [target, { running }] of this.#targets) if (running > 0) yield target;
  }

  /** Forgets the failures of addresses that no table has any more. */
  retain(addresses: ReadonlySet<string>): void {
    for (const [target, { running }] of this.#targets)
      if (running === 0 && !addresses.has(target)) this.#targets.delete(target);
  }

  /** Returns the targets without those that were tried or are left out. */
  #usable(targets: readonly string[], tried: ReadonlySet<string> | undefined): readonly string[] {
    let usable = targets;
    // No list is built per request as long as all targets are healthy.
    if (!targets.every((target) => this.isHealthy(target))) {
      const healthy = targets.filter((target) => this.isHealthy(target));
      if (healthy.length * 2 >= targets.length) usable = healthy;
    }
    if (tried === undefined || tried.size === 0) return usable;
    const untried = usable.filter((target) => !tried.has(target));
    if (untried.length > 0) return untried;
    const others = targets.filter((target) => !tried.has(target));
    return others.length > 0 ? others : usable;
  }

  #running(target: string | undefined): number {
    return target === undefined ? 0 : (this.#targets.get(target)?.running ?? 0);
  }

  #state(target: string): Target {
    let state = this.#targets.get(target);
    if (state === undefined) {
      state = { running: 0, failures: 0, ejectedUntil: 0, ejectionMs: 0 };
      this.#targets.set(target, state);
    }
    return state;
  }

  #endPending(workload: string): void {
    const pending = (this.#pending.get(workload) ?? 1) - 1;
    // Removed, so that workloads that are gone leave nothing behind.
    if (pending === 0) this.#pending.delete(workload);
    else this.#pending.set(workload, pending);
  }

  #record(target: string, state: Target, result: AttemptResult): void {
    if (result === "cancelled") return;
    if (result === "ok") {
      state.failures = 0;
      state.ejectionMs = 0;
      state.ejectedUntil = 0;
      return;
    }
    state.failures += 1;
    const now = this.#options.clock.monotonic();
    // Requests that were already on their way when the target was left out say nothing new.
    if (state.failures < failuresMax || state.ejectedUntil > now) return;
    state.ejectionMs = state.ejectionMs === 0 ? ejectionMs : Math.min(state.ejectionMs * 2, ejectionMsMax);
    state.ejectedUntil = now + state.ejectionMs;
    // It may have been removed while requests were running.
    this.#targets.set(target, state);
  }
}
