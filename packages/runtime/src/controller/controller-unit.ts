import type { Client } from "@homeostat/client";
import { type Clock, type Random, SeededRandom, uuid } from "@homeostat/core";
import type { Cache } from "../cache/cache.ts";
import type { ReconcileHistory } from "../history/reconcile-history.ts";
import { type Logger, silentLogger } from "../log/logger.ts";
import type { WorkQueueMetrics } from "../queue/queue-metrics.ts";
import { exponentialBackoff, maxOf, type RetryLimiter, tokenBucket } from "../queue/retry-limiter.ts";
import { silentTracing, type Tracing } from "../tracing/tracing.ts";
import { ReapplySchedule } from "../managed/reapply.ts";
import { SettledSets } from "../managed/settled-sets.ts";
import { ApplyMemory } from "../writes/apply-memory.ts";
import { type HotLoopOptions, HotLoops } from "../writes/hot-loops.ts";
import { accessOf, writesStatus } from "./access.ts";
import { type ControllerMetrics, silentMeter } from "./controller-metrics.ts";
import type { Correlation } from "./correlation.ts";
import type { Controller } from "./definition.ts";
import { ControllerInformers } from "./informers.ts";
import { ReportLimiter } from "./report-limiter.ts";
import type { EventOutlet } from "./reconcile-task.ts";
import { Term, type TermParts } from "./term.ts";
import type { ControllerUnit } from "./unit.ts";

/** Dependencies of a running controller. */
export interface ControllerParts {
  /** Client of the reconcilers. In a manager with leader election, its fence rejects writes while this process does not lead. */
  readonly client: Client;
  readonly cache: Cache;
  readonly clock: Clock;
  /** Estimated clock of the API server, for times in objects. Default: `clock`. */
  readonly serverClock?: Clock;
  readonly random: Random;
  /** Default: no logs. */
  readonly log?: Logger;
  /** Default: no spans. */
  readonly tracing?: Tracing;
  /** Recorder of Kubernetes events. Default: events are dropped. */
  readonly events?: EventOutlet;
  readonly metrics?: ControllerMetrics;
  readonly queueMetrics?: WorkQueueMetrics;
  readonly history?: ReconcileHistory;
  readonly correlation?: Correlation;
  /** False to leave reads, steps and decisions out of the history, because nothing shows them. Default: true. */
  readonly recordsDetails?: boolean;
  /** Limits of the hot loop detection. */
  readonly hotLoops?: Omit<HotLoopOptions, "clock">;
}

const timeoutMsDefault = 60_000;

/**
 * Connects a controller definition to a client, a cache and the other dependencies of a program. A manager does this for its controllers.
 * Without a manager, the caller runs the cache and calls `open`, `ready` and `lead`.
 *
 * @example
 * const unit = controllerUnit(sites, { client, cache, clock: systemClock, random: systemRandom });
 * unit.open();
 * await unit.ready(signal);
 * await unit.lead({ stop: signal, abort: AbortSignal.any([]) });
 */
export function controllerUnit(controller: Controller, parts: ControllerParts): ControllerUnit {
  const { name } = controller;
  const { cache, history, log = silentLogger } = parts;
  const limiter = retryLimiterOf(controller, parts);
  const common = termParts(controller, parts);
  let informers: ControllerInformers | undefined;
  let term: Term | undefined;
  const open = (): ControllerInformers =>
    (informers ??= new ControllerInformers(
      controller,
      cache,
      doesRecordDetails(parts) ? parts.correlation?.reads : undefined,
    ));
  return {
    name,
    access: accessOf(controller),
    open: () => void open(),
    ready: (signal) => open().ready(signal),
    async lead(signals) {
      const present = new Term({ ...common, informers: open(), retry: limiter() });
      term = present;
      using _ = history?.follow(name, (key) => present.stateOf(key));
      try {
        await present.run(signals);
      } finally {
        term = undefined;
        clearMetrics(controller, log);
      }
    },
    queue: () => term?.inspect(),
    blocked: () => term?.blocked(),
    releaseMemory: () => common.hotLoops.releaseQuiet(),
    close() {
      informers?.[Symbol.dispose]();
      informers = undefined;
    },
  };
}

/** Returns the dependencies of the terms of a controller, without those that each term has for itself. */
export function termParts(controller: Controller, parts: ControllerParts): Omit<TermParts, "informers" | "retry"> {
  const { definition, name } = controller;
  const { client, cache, clock, random, history } = parts;
  const { log = silentLogger, tracing = silentTracing, serverClock = clock } = parts;
  const { concurrency = 1, timeoutMs = timeoutMsDefault } = definition;
  return {
    controller,
    client,
    cache,
    clock,
    serverClock,
    random,
    // Seeded PRNG: crypto randomness per reconcile ID is too slow.
    ids: new SeededRandom(uuid(random)),
    log,
    tracing,
    events: parts.events,
    meter: parts.metrics?.measure(name, { concurrency }) ?? silentMeter,
    correlation: parts.correlation,
    recordsDetails: doesRecordDetails(parts),
    concurrency,
    timeoutMs,
    writesStatus: writesStatus(definition),
    queueMetrics: parts.queueMetrics,
    memory: new ApplyMemory(),
    reapplies: new ReapplySchedule(),
    settledSets: new SettledSets(),
    hotLoops: new HotLoops({ ...parts.hotLoops, clock }),
    reports: new ReportLimiter(clock),
    onRecord: (key, flight) => history?.record(name, key, flight),
  };
}

/** Reports whether reads, steps and decisions are recorded: only if a history keeps them. */
function doesRecordDetails({ recordsDetails = true, correlation, history }: ControllerParts): boolean {
  return recordsDetails && correlation !== undefined && history !== undefined;
}

/** Removes the metric series that only the leader may report, so that a former leader does not export stale values. */
function clearMetrics({ name, definition: { metrics } }: Controller, log: Logger): void {
  try {
    metrics?.clear?.();
  } catch (error) {
    log.error("Controller callback threw", { controller: name, callback: "metrics.clear", error });
  }
}

/**
 * Returns a factory of retry limiters. Each term gets a limiter of its own, so that a new leader starts with a full token bucket and without the
 * failure counts of an earlier term. Throws an `ArgumentError` for invalid options at once, not when the first term starts.
 */
export function retryLimiterOf(
  { definition: { retry = {} } }: Controller,
  { clock, random }: Pick<ControllerParts, "clock" | "random">,
): () => RetryLimiter {
  const { baseMs = 5, capMs = 1_000_000, perSecond = 10, burst = 100 } = retry;
  const make = (): RetryLimiter =>
    maxOf(
      exponentialBackoff({ baseMs, capMs, jitter: { fraction: 0.1, random } }),
      tokenBucket({ perSecond, burst, clock }),
    );
  make();
  return make;
}
