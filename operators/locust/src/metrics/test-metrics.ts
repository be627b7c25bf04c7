import type { DeepReadonly } from "@homeostat/core";
import { Counter, Gauge, Histogram, type Metric, type Registry } from "@homeostat/runtime";
import type { LocustTest, Outcome, Phase } from "../api/locust-test.ts";
import type { LiveStats, Snapshot } from "../live/live-stats.ts";
import { totalOf } from "../live/rows.ts";

/** What is counted of a test, by its key. */
interface Counted {
  readonly namespace: string;
  readonly test: string;
  readonly phase: Phase;
}

/** From ten seconds to half a day. */
const durationBuckets = [10, 30, 60, 120, 300, 600, 1_200, 1_800, 3_600, 7_200, 14_400, 43_200];

/** The metrics of load tests (20.4). What a test says now is read when the metrics are shown; nothing is kept twice. */
export class TestMetrics {
  readonly #tests = new Map<string, Counted>();
  readonly #durations: Histogram<"namespace" | "outcome"> = new Histogram({
    name: "locust_operator_test_duration_seconds",
    help: "How long runs of load tests took.",
    labels: ["namespace", "outcome"],
    buckets: durationBuckets,
  });
  readonly #pollErrors: Counter = new Counter({
    name: "locust_operator_stats_poll_errors_total",
    help: "How often a Locust master could not be asked for its numbers.",
  });

  /** Takes note of the phase of a test. */
  saw({ metadata }: DeepReadonly<LocustTest>, phase: Phase | undefined): void {
    const { namespace = "", name = "" } = metadata;
    this.#tests.set(`${namespace}/${name}`, { namespace, test: name, phase: phase ?? "Pending" });
  }

  /** Takes note of a run that is over. */
  ended(namespace: string, outcome: Outcome, seconds: number): void {
    this.#durations.observe({ namespace, outcome }, seconds);
  }

  /** Takes note of a poll that failed. */
  pollFailed(): void {
    this.#pollErrors.inc();
  }

  /** Forgets a test that is gone. */
  forget(namespace: string, name: string): void {
    this.#tests.delete(`${namespace}/${name}`);
  }

  /** Forgets all: this process does not look after them any more. */
  clear(): void {
    this.#tests.clear();
  }

  /** Shows everything in a registry. */
  register(registry: Registry, live: Pick<LiveStats, "view">): void {
    registry.register(this.#durations);
    registry.register(this.#pollErrors);
    registry.register(this.#phases());
    for (const gauge of this.#numbers(live)) registry.register(gauge);
  }

  #phases(): Gauge<"namespace" | "phase"> {
    const gauge = new Gauge({
      name: "locust_operator_tests",
      help: "Load tests, by phase.",
      labels: ["namespace", "phase"],
    });
    gauge.read((set) => {
      const counts = new Map<string, Counted & { count: number }>();
      for (const test of this.#tests.values()) {
        const key = `${test.namespace}/${test.phase}`;
        counts.set(key, { ...test, count: (counts.get(key)?.count ?? 0) + 1 });
      }
      for (const { namespace, phase, count } of counts.values()) set({ namespace, phase }, count);
    });
    return gauge;
  }

  /** What Locust says about each test that runs. */
  *#numbers(live: Pick<LiveStats, "view">): Generator<Metric> {
    const perTest = (name: string, help: string, valueOf: (snapshot: Snapshot) => number | undefined): Metric => {
      const gauge = new Gauge({ name, help, labels: ["namespace", "test"] });
      gauge.read((set) => {
        for (const { namespace, test, snapshot } of this.#running(live)) {
          const value = valueOf(snapshot);
          if (value !== undefined) set({ namespace, test }, value);
        }
      });
      return gauge;
    };
    yield perTest("locust_operator_test_users", "Users that a load test simulates now.", ({ userCount }) => userCount);
    yield perTest("locust_operator_test_rps", "Requests per second of a load test.", ({ currentRps }) => currentRps);
    yield perTest(
      "locust_operator_test_requests_total",
      "Requests of a load test in this run.",
      (snapshot) => totalOf(snapshot)?.requests,
    );
    yield perTest(
      "locust_operator_test_failures_total",
      "Failed requests of a load test in this run.",
      (snapshot) => totalOf(snapshot)?.failures,
    );
    yield this.#times(live);
    yield this.#workers(live);
  }

  #times(live: Pick<LiveStats, "view">): Metric {
    const gauge = new Gauge({
      name: "locust_operator_test_response_time_ms",
      help: "Response times of a load test, in milliseconds.",
      labels: ["namespace", "test", "quantile"],
    });
    gauge.read((set) => {
      for (const { namespace, test, snapshot } of this.#running(live)) {
        const { currentP50, currentP95 } = snapshot;
        if (currentP50 !== undefined) set({ namespace, test, quantile: "0.5" }, currentP50);
        if (currentP95 !== undefined) set({ namespace, test, quantile: "0.95" }, currentP95);
      }
    });
    return gauge;
  }

  #workers(live: Pick<LiveStats, "view">): Metric {
    const gauge = new Gauge({
      name: "locust_operator_test_workers",
      help: "Workers of a load test, by what they do.",
      labels: ["namespace", "test", "state"],
    });
    gauge.read((set) => {
      for (const { namespace, test, snapshot } of this.#running(live)) {
        const { ready = 0, spawning = 0, running = 0, missing = 0 } = snapshot.workers ?? {};
        for (const [state, count] of Object.entries({ ready, spawning, running, missing })) {
          set({ namespace, test, state }, count);
        }
      }
    });
    return gauge;
  }

  *#running(live: Pick<LiveStats, "view">): Generator<Counted & { readonly snapshot: Snapshot }> {
    for (const [key, counted] of this.#tests) {
      const snapshot = live.view(key)?.snapshot;
      if (snapshot !== undefined) yield { ...counted, snapshot };
    }
  }
}
