import { reconcileTimeBuckets } from "../metrics/buckets.ts";
import { Counter } from "../metrics/counter.ts";
import { Gauge } from "../metrics/gauge.ts";
import { Histogram } from "../metrics/histogram.ts";
import type { Registry } from "../metrics/registry.ts";

/** Value of the `result` label of `controller_runtime_reconcile_total`. */
export type ReconcileLabel = "success" | "error" | "requeue" | "requeue_after";

/** Counters of one controller. */
export interface ControllerMeter {
  /** Counts the start of a reconcile. */
  began(): void;
  /** Counts the end of a reconcile, with its duration in milliseconds. */
  ended(label: ReconcileLabel, ms: number): void;
  /** Counts a terminal error, in addition to {@link ControllerMeter.ended}. */
  failedTerminally(): void;
  /** Counts a reconciler that threw a value that is not an `Error`, or threw before it returned a promise. */
  panicked(): void;
  /** Counts a reconcile that exceeded its timeout. */
  timedOut(): void;
  /** Counts a reconcile that did not return after its signal had aborted. */
  ignoredSignal(): void;
  /** Sets the number of stuck reconciles: those that are still running after their signal has aborted. */
  stuck(count: number): void;
  /** Counts a hot loop. */
  hotLoopDetected(): void;
  /** Counts an error of a callback of the definition: a predicate, a map function or a source. */
  callbackFailed(): void;
  /** Counts a managed object that another client changed or deleted and that was corrected. */
  correctedDrift(kind: string): void;
}

const labels = ["controller"] as const;

function counter(name: string, help: string): Counter<"controller"> {
  return new Counter({ name, help, labels });
}

/**
 * Metrics of controllers: those of controller-runtime with the same names and labels, and further ones with the prefix `homeostat_`. Create one
 * instance per registry and pass it to every controller.
 */
export class ControllerMetrics {
  readonly #total = new Counter({
    name: "controller_runtime_reconcile_total",
    help: "Reconciles by controller and result: success, error, requeue or requeue_after.",
    labels: ["controller", "result"],
  });
  readonly #errors = counter("controller_runtime_reconcile_errors_total", "Reconciles that failed.");
  readonly #terminal = counter(
    "controller_runtime_terminal_reconcile_errors_total",
    "Reconciles that failed with a terminal error, which is not retried.",
  );
  readonly #panics = counter(
    "controller_runtime_reconcile_panics_total",
    "Reconciles that threw a value that is not an Error, or threw synchronously.",
  );
  readonly #timeouts = counter(
    "controller_runtime_reconcile_timeouts_total",
    "Reconciles that exceeded their timeout.",
  );
  readonly #time = new Histogram({
    name: "controller_runtime_reconcile_time_seconds",
    help: "Duration of reconciles.",
    labels,
    buckets: reconcileTimeBuckets,
  });
  readonly #active = new Gauge({
    name: "controller_runtime_active_workers",
    help: "Reconciles in progress.",
    labels,
  });
  readonly #concurrency = new Gauge({
    name: "controller_runtime_max_concurrent_reconciles",
    help: "Maximum number of concurrent reconciles.",
    labels,
  });
  readonly #ignored = counter(
    "homeostat_ignored_signals_total",
    "Reconciles that did not return after their signal was aborted.",
  );
  readonly #stuck = new Gauge({
    name: "homeostat_stuck_reconciles",
    help: "Reconciles still running after their signal was aborted.",
    labels,
  });
  readonly #loops = counter(
    "homeostat_hot_loops_total",
    "Hot loops detected: objects delayed because of repeated writes.",
  );
  readonly #following = counter(
    "homeostat_follow_errors_total",
    "Errors thrown by predicates, map functions and sources of controllers.",
  );

  readonly #drift = new Counter({
    name: "homeostat_drift_corrected_total",
    help: "Managed objects that other clients changed or deleted and that were corrected, by controller and kind.",
    labels: ["controller", "kind"],
  });

  constructor(registry: Registry) {
    registry.register(this.#total);
    registry.register(this.#errors);
    registry.register(this.#terminal);
    registry.register(this.#panics);
    registry.register(this.#timeouts);
    registry.register(this.#time);
    registry.register(this.#active);
    registry.register(this.#concurrency);
    registry.register(this.#ignored);
    registry.register(this.#stuck);
    registry.register(this.#loops);
    registry.register(this.#following);
    registry.register(this.#drift);
  }

  /** Returns the meter of a controller. All its series exist from now on, with the value zero, so that rates can be computed. */
  measure(controller: string, { concurrency }: { readonly concurrency: number }): ControllerMeter {
    const of = { controller };
    const results = {
      success: this.#total.with({ controller, result: "success" }),
      error: this.#total.with({ controller, result: "error" }),
      requeue: this.#total.with({ controller, result: "requeue" }),
      requeue_after: this.#total.with({ controller, result: "requeue_after" }),
    };
    const errors = this.#errors.with(of);
    const terminal = this.#terminal.with(of);
    const panics = this.#panics.with(of);
    const timeouts = this.#timeouts.with(of);
    const time = this.#time.with(of);
    const active = this.#active.with(of);
    const ignored = this.#ignored.with(of);
    const loops = this.#loops.with(of);
    this.#stuck.set(of, 0);
    const following = this.#following.with(of);
    this.#concurrency.set(of, concurrency);
    return {
      began: () => active.inc(),
      ended: (label, ms) => {
        active.dec();
        results[label].inc();
        time.observe(ms / 1000);
        if (label === "error") errors.inc();
      },
      failedTerminally: () => terminal.inc(),
      panicked: () => panics.inc(),
      timedOut: () => timeouts.inc(),
      ignoredSignal: () => ignored.inc(),
      stuck: (count) => this.#stuck.set(of, count),
      hotLoopDetected: () => loops.inc(),
      callbackFailed: () => following.inc(),
      correctedDrift: (kind) => this.#drift.inc({ controller, kind }),
    };
  }
}

const nothing = (): void => undefined;

/** A meter that discards everything. */
export const silentMeter: ControllerMeter = {
  began: nothing,
  ended: nothing,
  failedTerminally: nothing,
  panicked: nothing,
  timedOut: nothing,
  ignoredSignal: nothing,
  stuck: nothing,
  hotLoopDetected: nothing,
  callbackFailed: nothing,
  correctedDrift: nothing,
};
