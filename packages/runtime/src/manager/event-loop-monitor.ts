import { performance } from "node:perf_hooks";
import type { Clock } from "@homeostat/core";
import type { Logger } from "../log/logger.ts";
import { Counter } from "../metrics/counter.ts";
import { Gauge } from "../metrics/gauge.ts";
import type { Registry } from "../metrics/registry.ts";

/** What an event loop has done since the process began. */
export interface LoopUse {
  /** How long it was not waiting for anything, in milliseconds. */
  readonly activeMs: number;
  /** How many turns it has made. */
  readonly turns: number;
}

/** A reconcile that may have blocked the event loop. Times are milliseconds since 1970. */
export interface ReconcileTime {
  readonly controller: string;
  readonly key: string;
  readonly startedAt: number;
  /** Undefined while it runs. */
  readonly endedAt?: number | undefined;
}

/** What an {@link EventLoopMonitor} needs. */
export interface EventLoopMonitorOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** Returns the use of the event loop: {@link processLoop}. */
  readonly use: () => LoopUse;
  /** Returns the reconciles that run, and those that ended of late. Called only when the event loop was blocked. */
  readonly reconciles: () => Iterable<ReconcileTime>;
}

/**
 * How often the event loop is looked at: often while the program works, and ever more rarely while nothing goes on, since each
 * look wakes the process up.
 */
const periodMsMin = 500;
const periodMsMax = 8_000;
/** A program is at work when timers are this late, or the loop was active for this share of the time. */
const lateMs = 5;
const activeShare = 0.02;
/** For how long the worst lag is shown. */
const lagShownMs = 30_000;
/** From this duration on, a blocked event loop is reported: health probes and lease renewals begin to suffer. */
const blockedMsMin = 1_000;
/** How long a turn of the event loop takes at most in a program that does not block it. */
const turnMsMax = 50;
/** A reconcile that is shorter than the block by no more than this may have caused it: the two are measured differently. */
const slackMs = 50;
const namedMax = 5;

/**
 * Measures how late timers are, and reports an event loop that was blocked for more than a second.
 *
 * While the program works, a timer every half second is late by as much as the loop is blocked. At rest there is no such timer,
 * as it would be most of what the process does. Node itself counts the time in which the loop is active and its turns, without
 * waking up: at rest there are few turns, and much more active time than these explain is a block.
 */
export class EventLoopMonitor {
  readonly #options: EventLoopMonitorOptions;
  readonly #blocks = new Counter({
    name: "homeostat_event_loop_blocks_total",
    help: "How often the event loop was blocked for more than a second.",
  });
  #lags: { readonly at: number; readonly ms: number }[] = [];

  constructor(registry: Registry, options: EventLoopMonitorOptions) {
    this.#options = options;
    registry.register(this.#blocks).with();
    registry.register(
      new Gauge({
        name: "nodejs_eventloop_lag_seconds",
        help: "By how much a timer was late, the worst of the last half minute.",
        read: (set) => set(Math.max(0, ...this.#lags.map(({ ms }) => ms)) / 1000),
      }),
    );
  }

  /** Looks at the event loop now and then until the signal aborts. */
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
      // What the turns since the last look do not explain. In a busy program there are many turns, and this says nothing.
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

/** Returns what the event loop of this process has done. */
export function processLoop(): LoopUse {
  const { active } = performance.eventLoopUtilization();
  return { activeMs: active, turns: performance.nodeTiming.uvMetricsInfo.loopCount };
}
