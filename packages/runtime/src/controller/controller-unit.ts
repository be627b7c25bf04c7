import type { Client } from "@homeostat/client";
import { type Clock, type Random, SeededRandom, uuid } from "@homeostat/core";
import type { Cache } from "../cache/cache.ts";
import type { FlightRecorder } from "../flight/flight-recorder.ts";
import { type Logger, silentLogger } from "../log/logger.ts";
import type { WorkQueueMetrics } from "../queue/queue-metrics.ts";
import { exponentialBackoff, maxOf, type RetryLimiter, tokenBucket } from "../queue/retry-limiter.ts";
import { silentTracing, type Tracing } from "../tracing/tracing.ts";
import { ApplyMemory } from "../writes/apply-memory.ts";
import { type HotLoopOptions, HotLoops } from "../writes/hot-loops.ts";
import { accessOf, writesStatus } from "./access.ts";
import { type ControllerMetrics, silentMeter } from "./controller-metrics.ts";
import type { Correlation } from "./correlation.ts";
import type { Controller, RetryDefinition } from "./definition.ts";
import { ControllerInformers } from "./informers.ts";
import { ReportLimiter } from "./report-limiter.ts";
import type { EventOutlet } from "./run.ts";
import { Term, type TermParts } from "./term.ts";
import type { ControllerUnit } from "./unit.ts";

/** What a controller needs in order to run. */
export interface ControllerParts {
  /** Its writes are refused by the fence when this process does not lead. */
  readonly client: Client;
  readonly cache: Cache;
  readonly clock: Clock;
  /** The clock of the API server, for times in objects. Default: `clock`. */
  readonly serverClock?: Clock;
  readonly random: Random;
  /** Default: says nothing. */
  readonly log?: Logger;
  /** Default: records nothing. */
  readonly tracing?: Tracing;
  /** Where events about objects go: an `EventRecorder`. Default: nowhere. */
  readonly events?: EventOutlet;
  readonly metrics?: ControllerMetrics;
  readonly queueMetrics?: WorkQueueMetrics;
  readonly flights?: FlightRecorder;
  readonly correlation?: Correlation;
  /** When writes count as a loop, and how it is slowed down. */
  readonly hotLoops?: Omit<HotLoopOptions, "clock">;
}

const timeoutMsDefault = 60_000;

/**
 * Makes a controller ready to run in a program. A manager does this for the controllers it is given; alone it needs a
 * client, a cache that runs, and somebody who calls `open` and `lead`.
 *
 * @example
 * const unit = controllerUnit(sites, { client, cache, clock: systemClock, random: systemRandom });
 * unit.open();
 * await unit.ready(signal);
 * await unit.lead({ stop: signal, abort: AbortSignal.any([]) });
 */
export function controllerUnit(controller: Controller, parts: ControllerParts): ControllerUnit {
  const { definition, name } = controller;
  const { client, cache, clock, random, flights } = parts;
  const { log = silentLogger, tracing = silentTracing, serverClock = clock } = parts;
  const { concurrency = 1, timeoutMs = timeoutMsDefault, retry = {} } = definition;
  const limiter = retryLimiter(retry, { clock, random });
  const common: Omit<TermParts, "informers" | "retry"> = {
    controller,
    client,
    cache,
    clock,
    serverClock,
    random,
    // One id after the other is needed, and the machine's own chance takes its time.
    ids: new SeededRandom(uuid(random)),
    log,
    tracing,
    events: parts.events,
    meter: parts.metrics?.measure(name, { concurrency }) ?? silentMeter,
    correlation: parts.correlation,
    concurrency,
    timeoutMs,
    writesStatus: writesStatus(definition),
    queueMetrics: parts.queueMetrics,
    memory: new ApplyMemory(),
    hotLoops: new HotLoops({ ...parts.hotLoops, clock }),
    reports: new ReportLimiter(clock),
    onFlight: (key, flight) => flights?.record(name, key, flight),
  };
  let informers: ControllerInformers | undefined;
  let term: Term | undefined;
  const open = (): ControllerInformers => (informers ??= new ControllerInformers(controller, cache));
  return {
    name,
    access: accessOf(controller),
    open: () => void open(),
    ready: (signal) => open().ready(signal),
    async lead(signals) {
      const present = new Term({ ...common, informers: open(), retry: limiter() });
      term = present;
      using _ = flights?.follow(name, (key) => present.stateOf(key));
      try {
        await present.run(signals);
      } finally {
        term = undefined;
        clearMetrics(controller, log);
      }
    },
    queue: () => term?.inspect(),
    close() {
      informers?.[Symbol.dispose]();
      informers = undefined;
    },
  };
}

/** Drops what only the leader may report. */
function clearMetrics({ name, definition: { metrics } }: Controller, log: Logger): void {
  try {
    metrics?.clear?.();
  } catch (error) {
    log.error("A function of the controller threw", { controller: name, what: "clear of metrics", error });
  }
}

/** Makes the limiter of a term: each has its own, and begins with all its tokens. Throws for numbers that make no sense. */
function retryLimiter(
  { baseMs = 5, capMs = 1_000_000, perSecond = 10, burst = 100 }: RetryDefinition,
  { clock, random }: { readonly clock: Clock; readonly random: Random },
): () => RetryLimiter {
  const make = (): RetryLimiter =>
    maxOf(
      exponentialBackoff({ baseMs, capMs, jitter: { fraction: 0.1, random } }),
      tokenBucket({ perSecond, burst, clock }),
    );
  make();
  return make;
}
