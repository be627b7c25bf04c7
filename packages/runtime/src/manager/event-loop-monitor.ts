import { performance } from "node:perf_hooks";
import type { Clock } from "@homeostat/core";
import type { Logger } from "../log/logger.ts";
import { Counter } from "../metrics/counter.ts";
import { Gauge } from "../metrics/gauge.ts";
import type { Registry } from "../metrics/registry.ts";

/** Usage of the event loop since the start of the process. */
export interface LoopUse {
  /** Milliseconds in which it was not waiting for events. */
  readonly activeMs: number;
  /** Number of iterations. */
  readonly turns: number;
}

/** A reconcile that may have blocked the event loop. Times are milliseconds since 1970. */
export interface ReconcileTime {
  readonly controller: string;
  readonly key: string;
  readonly startedAt: number;
  /** Undefined while it is running. */
  readonly endedAt?: number | undefined;
}

/** Options of an {@link EventLoopMonitor}. */
export interface EventLoopMonitorOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** Returns the usage of the event loop: {@link processLoop}. */
  readonly use: () => LoopUse;
  /** Returns running and recently finished reconciles. Called only when the event loop was blocked. */
  readonly reconciles: () => Iterable<ReconcileTime>;
}

/**
 * Bounds of the measurement interval. The interval is short while the program is busy, and doubles while it is idle, because each measurement
 * wakes the process up.
 */
const periodMsMin = 500;
const periodMsMax = 8_000;
/** The program counts as busy when timers are this late, or the loop was active for this share of the time. */
const lateMs = 5;
const activeShare = 0.02;
/** Time window of the exported maximum lag. */
const lagShownMs = 30_000;
/** Minimum duration of a reported block: from here on, health probes and lease renewals can fail. */
const blockedMsMin = 1_000;
/** Assumed maximum duration of one iteration of an event loop that is not blocked. */
const turnMsMax = 50;
/** Tolerance when the duration of a reconcile is compared with that of a block, because the two are measured differently. */
const slackMs = 50;
const namedMax = 5;

/**
 * Measures the delay of timers, and reports an event loop that was blocked for more than a second, with the reconciles that may have caused it.
 *
 * While the program is busy, a timer runs every half second, and is late by as much as the loop is blocked. An idle program has no such timer:
 * it would be most of the work of the process. But Node counts the active time and the iterations of the loop without waking up. An idle loop has
 * few iterations; active time that these cannot explain must have been a block.
 */
export class EventLoopMonitor {
  readonly #options: EventLoopMonitorOptions;
  readonly #blocks = new Counter({
    name: "homeostat_event_loop_blocks_total",
    help: "Number of times the event loop was blocked for more than a second.",
  });
  #lags: { readonly at: number; readonly ms: number }[] = [];

  constructor(registry: Registry, options: EventLoopMonitorOptions) {
    this.#options = options;
    registry.register(this.#blocks).with();
    registry.register(
      new Gauge({
        name: "nodejs_eventloop_lag_seconds",
        help: "Maximum delay of a timer in the last 30 seconds.",
        read: (set) => set(Math.max(0, ...this.#lags.map(({ ms }) => ms)) / 1000),
      }),
    );
  }

  /** Measures periodically until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, use } = this.#options;
    let periodMs = periodMsMin;
    let before = use();
    while (!signal.aborted) {
      const began = clock.monotonic();
      await clock.sleep(periodMs, signal).catch(() => undefined);
      if (signal.aborted) return;
      const at = clock.monotonic();
      const lagMs = Math.max(0, at - began - periodMs);
      const now = use();
      const activeMs = now.activeMs - before.activeMs;
      // Active time that the iterations since the last measurement cannot explain. Meaningless (negative) in a busy program with many iterations.
      const unexplainedMs = activeMs - (now.turns - before.turns) * turnMsMax;
      before = now;
      const blockedMs = Math.max(lagMs, unexplainedMs);
      const isBlocked = blockedMs >= blockedMsMin;
      this.#lags = [...this.#lags.filter((lag) => lag.at > at - lagShownMs), { at, ms: isBlocked ? blockedMs : lagMs }];
      if (isBlocked) this.#report(blockedMs, at - began);
      const isAtWork = lagMs >= lateMs || activeMs >= periodMs * activeShare;
      periodMs = isAtWork ? periodMsMin : Math.min(periodMs * 2, periodMsMax);
    }
  }

  #report(blockedMs: number, withinMs: number): void {
    this.#blocks.inc();
    const { log, clock } = this.#options;
    const now = clock.now();
    const suspects: ReconcileTime[] = [];
    for (const reconcile of this.#options.reconciles()) {
      const { startedAt, endedAt = now } = reconcile;
      const isLongEnough = endedAt - startedAt >= blockedMs - slackMs;
      if (isLongEnough && endedAt >= now - withinMs) suspects.push(reconcile);
    }
    const [only] = suspects;
    const named =
      suspects.length === 1 && only !== undefined
        ? { controller: only.controller, key: only.key }
        : { reconciles: suspects.slice(0, namedMax).map(({ controller, key }) => `${controller} ${key}`) };
    log.warn("Event loop blocked", { blockedMs, ...(suspects.length === 0 ? {} : named) });
  }
}

/** Returns the usage of the event loop of this process. */
export function processLoop(): LoopUse {
  const { active } = performance.eventLoopUtilization();
  return { activeMs: active, turns: performance.nodeTiming.uvMetricsInfo.loopCount };
}
