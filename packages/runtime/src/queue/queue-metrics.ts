import { workqueueBuckets } from "../metrics/buckets.ts";
import { Counter } from "../metrics/counter.ts";
import { Gauge } from "../metrics/gauge.ts";
import { Histogram } from "../metrics/histogram.ts";
import type { Registry } from "../metrics/registry.ts";

/** What a queue tells about itself when its metrics are shown. */
export interface QueueReadings {
  /** How many keys wait, by priority. */
  depths(): Iterable<readonly [priority: number, count: number]>;
  /** For how many milliseconds each key that is being worked on has been. */
  runningMs(): Iterable<number>;
}

/** What a queue counts as it goes. Disposing of it ends the readings. */
export interface QueueMeter extends Disposable {
  /** A key became ready. */
  added(): void;
  /** A key was handed out after it had been ready for so long. */
  taken(waitedMs: number): void;
  /** A key was put down after so long. */
  finished(workedMs: number): void;
  /** A key was added with a delay, be it after a failure or not, which is what other work queues call a retry. */
  retried(): void;
}

/**
 * The work queue metrics that controller-runtime exposes, with its names, labels and buckets. Make one for each registry
 * and give it to every queue.
 *
 * A key that waits for the end of its own run counts as waiting; one whose delay is not over does not.
 */
export class WorkQueueMetrics {
  readonly #depth = new Gauge({
    name: "workqueue_depth",
    help: "Keys that wait to be worked on, by queue and priority.",
    labels: ["name", "controller", "priority"],
  });
  readonly #adds = new Counter({
    name: "workqueue_adds_total",
    help: "Keys that became ready, adds of a key that was waiting already not counted.",
    labels: ["name", "controller"],
  });
  readonly #queueDuration = new Histogram({
    name: "workqueue_queue_duration_seconds",
    help: "How long a key was ready before it was handed out.",
    labels: ["name", "controller"],
    buckets: workqueueBuckets,
  });
  readonly #workDuration = new Histogram({
    name: "workqueue_work_duration_seconds",
    help: "How long a key was worked on.",
    labels: ["name", "controller"],
    buckets: workqueueBuckets,
  });
  readonly #unfinishedWork = new Gauge({
    name: "workqueue_unfinished_work_seconds",
    help: "How long all keys that are being worked on have been, added up. A steady rise shows work that is stuck.",
    labels: ["name", "controller"],
  });
  readonly #longestRunning = new Gauge({
    name: "workqueue_longest_running_processor_seconds",
    help: "How long the key that has been worked on longest has been.",
    labels: ["name", "controller"],
  });
  readonly #retries = new Counter({
    name: "workqueue_retries_total",
    help: "Adds with a delay, after a failure or because somebody asked to be called again.",
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

  /** Begins to measure a queue: all its series are there from now on, at zero. */
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
