import { reconcileTimeBuckets } from "../metrics/buckets.ts";
import { Counter } from "../metrics/counter.ts";
import { Gauge } from "../metrics/gauge.ts";
import { Histogram } from "../metrics/histogram.ts";
import type { Registry } from "../metrics/registry.ts";

/** How a run ended, as controller-runtime counts it. */
export type ReconcileLabel = "success" | "error" | "requeue" | "requeue_after";

/** What one controller counts as it goes. */
export interface ControllerMeter {
  /** A run began. */
  began(): void;
  /** A run ended after so long. */
  ended(label: ReconcileLabel, ms: number): void;
  /** It failed for good: tried again only when something changes. Counts besides {@link ControllerMeter.ended}. */
  failedForGood(): void;
  /** A reconciler threw what is no error, or threw before it returned a promise. */
  panicked(): void;
  /** A run took longer than it may. */
  timedOut(): void;
  /** A run went on although its signal had aborted. */
  ignoredSignal(): void;
  /** So many reconciles have not returned although their signal has aborted. */
  stuck(count: number): void;
  /** A reconciler wrote the same again and again. */
  looped(): void;
  /** A function of the definition threw: a predicate, a map function, a source. */
  followingFailed(): void;
  /** A managed object of a kind was changed by another client, and is as desired again. */
  correctedDrift(kind: string): void;
}

const labels = ["controller"] as const;

function counter(name: string, help: string): Counter<"controller"> {
  return new Counter({ name, help, labels });
}

/**
 * The metrics of controllers, with controller-runtime's names and labels, and some of our own. Make one for each registry
 * and give it to every controller.
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
    "Reconciles that failed with an error that trying again cannot help.",
  );
  readonly #panics = counter(
    "controller_runtime_reconcile_panics_total",
    "Reconcilers that threw what is no error, or threw before they returned a promise.",
  );
  readonly #timeouts = counter(
    "controller_runtime_reconcile_timeouts_total",
    "Reconciles that took longer than they may.",
  );
  readonly #time = new Histogram({
    name: "controller_runtime_reconcile_time_seconds",
    help: "How long reconciles took.",
    labels,
    buckets: reconcileTimeBuckets,
  });
  readonly #active = new Gauge({
    name: "controller_runtime_active_workers",
    help: "Reconciles that are going on.",
    labels,
  });
  readonly #concurrency = new Gauge({
    name: "controller_runtime_max_concurrent_reconciles",
    help: "How many reconciles may go on at the same time.",
    labels,
  });
  readonly #ignored = counter(
    "homeostat_ignored_signals_total",
    "Reconciles that went on although their signal had aborted.",
  );
  readonly #stuck = new Gauge({
    name: "homeostat_stuck_reconciles",
    help: "Reconciles that have not returned although their signal has aborted.",
    labels,
  });
  readonly #loops = counter(
    "homeostat_hot_loops_total",
    "Objects that were held because of the same write over and over.",
  );
  readonly #following = counter(
    "homeostat_follow_errors_total",
    "Predicates, map functions and sources of controllers that threw.",
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

  /** Begins to measure a controller: all its series are there from now on, at zero. */
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
      failedForGood: () => terminal.inc(),
      panicked: () => panics.inc(),
      timedOut: () => timeouts.inc(),
      ignoredSignal: () => ignored.inc(),
      stuck: (count) => this.#stuck.set(of, count),
      looped: () => loops.inc(),
      followingFailed: () => following.inc(),
      correctedDrift: (kind) => this.#drift.inc({ controller, kind }),
    };
  }
}

const nothing = (): void => undefined;

/** A meter that counts nothing. */
export const silentMeter: ControllerMeter = {
  began: nothing,
  ended: nothing,
  failedForGood: nothing,
  panicked: nothing,
  timedOut: nothing,
  ignoredSignal: nothing,
  stuck: nothing,
  looped: nothing,
  followingFailed: nothing,
  correctedDrift: nothing,
};
