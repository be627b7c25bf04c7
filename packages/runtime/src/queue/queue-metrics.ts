import { workqueueBuckets } from "../metrics/buckets.ts";
import { Counter } from "../metrics/counter.ts";
import { Gauge } from "../metrics/gauge.ts";
import { Histogram } from "../metrics/histogram.ts";
import type { Registry } from "../metrics/registry.ts";

/** Values that a queue provides when its metrics are collected. */
export interface QueueReadings {
  /** Returns the number of waiting keys by priority. */
  depths(): Iterable<readonly [priority: number, count: number]>;
  /** Returns, for each key being processed, the time since it was handed out. */
  runningMs(): Iterable<number>;
}

/** Counters of one queue. Disposing of it removes the queue's gauges. */
export interface QueueMeter extends Disposable {
  /** Counts a key that became ready. */
  added(): void;
  /** Records that a key was handed out, and how long it had been ready. */
  taken(waitedMs: number): void;
  /** Records that the processing of a key ended, and how long it took. */
  finished(workedMs: number): void;
  /** Counts a delayed add, after a failure or not. client-go calls both a retry, too. */
  retried(): void;
}

/**
 * The workqueue metrics of controller-runtime, with the same names, labels and buckets. Create one per registry and
 * pass it to every queue.
 *
 * A key held back while it is being processed counts as waiting; a delayed key does not.
 */
export class WorkQueueMetrics {
  readonly #depth = new Gauge({
    name: "workqueue_depth",
    help: "Number of keys waiting to be processed by queue and priority.",
    labels: ["name", "controller", "priority"],
  });
  readonly #adds = new Counter({
    name: "workqueue_adds_total",
    help: "Keys that became ready. Adds of a key that is already waiting are not counted.",
    labels: ["name", "controller"],
  });
  readonly #queueDuration = new Histogram({
    name: "workqueue_queue_duration_seconds",
    help: "Time in seconds from when a key became ready until its processing started.",
    labels: ["name", "controller"],
    buckets: workqueueBuckets,
  });
  readonly #workDuration = new Histogram({
    name: "workqueue_work_duration_seconds",
    help: "Time in seconds that processing a key took.",
    labels: ["name", "controller"],
    buckets: workqueueBuckets,
  });
  readonly #unfinishedWork = new Gauge({
    name: "workqueue_unfinished_work_seconds",
    help: "Total time in seconds for which the keys in progress have been processed. A steady increase indicates stuck workers.",
    labels: ["name", "controller"],
  });
  readonly #longestRunning = new Gauge({
    name: "workqueue_longest_running_processor_seconds",
    help: "Time in seconds for which the key longest in progress has been processed.",
    labels: ["name", "controller"],
  });
  readonly #retries = new Counter({
    name: "workqueue_retries_total",
    help: "Delayed adds, after a failure or because the reconciler requested a requeue.",
    labels: ["name", "controller"],
  });

  constructor(registry: Registry) {
    registry.register(this.#depth);
    registry.register(this.#adds);
    registry.register(this.#queueDuration);
    registry.register(this.#workDuration);
    registry.register(this.#unfinishedWork);
    registry.register(this.#longestRunning);
    registry.register(this.#retries);
  }

  /** Starts to measure a queue. All its series exist from now on, at zero. */
  measure(name: string, readings: QueueReadings): QueueMeter {
    const labels = { name, controller: name };
    const adds = this.#adds.with(labels);
    const queueDuration = this.#queueDuration.with(labels);
    const workDuration = this.#workDuration.with(labels);
    const retries = this.#retries.with(labels);
    const sources = [
      this.#depth.read((set) => {
        for (const [priority, count] of readings.depths()) set({ ...labels, priority: String(priority) }, count);
      }),
      this.#unfinishedWork.read((set) => {
        let totalMs = 0;
        for (const ms of readings.runningMs()) totalMs += ms;
        set(labels, totalMs / 1000);
      }),
      this.#longestRunning.read((set) => {
        let longestMs = 0;
        for (const ms of readings.runningMs()) longestMs = Math.max(longestMs, ms);
        set(labels, longestMs / 1000);
      }),
    ];
    return {
      added: () => adds.inc(),
      taken: (waitedMs) => queueDuration.observe(waitedMs / 1000),
      finished: (workedMs) => workDuration.observe(workedMs / 1000),
      retried: () => retries.inc(),
      [Symbol.dispose]: () => {
        for (const source of sources) source[Symbol.dispose]();
      },
    };
  }
}
