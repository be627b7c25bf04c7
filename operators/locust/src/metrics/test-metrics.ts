import type { DeepReadonly } from "homeostat";
import { Counter, Gauge, Histogram, type Registry } from "@homeostat/runtime";
import type { LocustTest, Outcome, Phase } from "../api/locust-test.ts";
import type { LivePoller } from "../live/live-poller.ts";
import { type Snapshot, totalOf } from "../live/snapshot.ts";

interface KnownTest {
  readonly namespace: string;
  readonly test: string;
  readonly phase: Phase;
}

/** From ten seconds to half a day. */
const durationBuckets = [10, 30, 60, 120, 300, 600, 1_200, 1_800, 3_600, 7_200, 14_400, 43_200];

/** The metrics of load tests. Gauges are read from the live statistics when metrics are scraped. */
export class TestMetrics {
  readonly #tests = new Map<string, KnownTest>();
  readonly #phases: Gauge<"namespace" | "phase"> = new Gauge({
    name: "locust_operator_tests",
    help: "Number of load tests by phase.",
    labels: ["namespace", "phase"],
    read: (set) => {
      const counts = new Map<string, KnownTest & { count: number }>();
      for (const test of this.#tests.values()) {
        const key = `${test.namespace}/${test.phase}`;
        counts.set(key, { ...test, count: (counts.get(key)?.count ?? 0) + 1 });
      }
      for (const { namespace, phase, count } of counts.values()) set({ namespace, phase }, count);
    },
  });
  readonly #durations: Histogram<"namespace" | "outcome"> = new Histogram({
    name: "locust_operator_test_duration_seconds",
    help: "Duration of load test runs in seconds, by outcome.",
    labels: ["namespace", "outcome"],
    buckets: durationBuckets,
  });
  readonly #pollErrors: Counter = new Counter({
    name: "locust_operator_stats_poll_errors_total",
    help: "Total number of failed polls of Locust masters.",
  });

  observePhase({ metadata }: DeepReadonly<LocustTest>, phase: Phase | undefined): void {
    const { namespace = "", name = "" } = metadata;
    this.#tests.set(`${namespace}/${name}`, { namespace, test: name, phase: phase ?? "Pending" });
  }

  observeEnd(namespace: string, outcome: Outcome, seconds: number): void {
    this.#durations.observe({ namespace, outcome }, seconds);
  }

  observePollError(): void {
    this.#pollErrors.inc();
  }

  forget(namespace: string, name: string): void {
    this.#tests.delete(`${namespace}/${name}`);
  }

  /** Removes all tests. Called when this process stops leading, because the new leader reports them. */
  clear(): void {
    this.#tests.clear();
  }

  register(registry: Registry, live: Pick<LivePoller, "view">): void {
    registry.register(this.#durations);
    registry.register(this.#pollErrors);
    registry.register(this.#phases);
    for (const { name, help, label, values } of liveGauges) {
      registry.register(
        new Gauge({
          name,
          help,
          labels: ["namespace", "test", ...(label === undefined ? [] : [label])],
          read: (set) => {
            for (const { namespace, test, snapshot } of this.#running(live)) {
              for (const [key, value] of Object.entries(values(snapshot))) {
                if (value === undefined) continue;
                set({ namespace, test, ...(label === undefined ? {} : { [label]: key }) }, value);
              }
            }
          },
        }),
      );
    }
  }

  *#running(live: Pick<LivePoller, "view">): Generator<KnownTest & { readonly snapshot: Snapshot }> {
    for (const [key, known] of this.#tests) {
      const snapshot = live.view(key)?.snapshot;
      if (snapshot !== undefined) yield { ...known, snapshot };
    }
  }
}

/** A gauge per running test. With a `label`, the keys of `values` are its values. */
interface LiveGauge {
  readonly name: string;
  readonly help: string;
  readonly label?: string;
  readonly values: (snapshot: Snapshot) => Readonly<Record<string, number | undefined>>;
}

const liveGauges: readonly LiveGauge[] = [
  {
    name: "locust_operator_test_users",
    help: "Current number of simulated users of a running load test.",
    values: ({ userCount }) => ({ userCount }),
  },
  {
    name: "locust_operator_test_rps",
    help: "Current requests per second of a running load test.",
    values: ({ currentRps }) => ({ currentRps }),
  },
  {
    name: "locust_operator_test_requests_total",
    help: "Number of requests in the current run of a load test.",
    values: (snapshot) => ({ requests: totalOf(snapshot)?.requests }),
  },
  {
    name: "locust_operator_test_failures_total",
    help: "Number of failed requests in the current run of a load test.",
    values: (snapshot) => ({ failures: totalOf(snapshot)?.failures }),
  },
  {
    name: "locust_operator_test_response_time_ms",
    help: "Current response time quantiles of a running load test in milliseconds.",
    label: "quantile",
    values: ({ currentP50, currentP95 }) => ({ "0.5": currentP50, "0.95": currentP95 }),
  },
  {
    name: "locust_operator_test_workers",
    help: "Number of workers of a running load test by state.",
    label: "state",
    values: ({ workers: { ready = 0, spawning = 0, running = 0, missing = 0 } = {} }) => {
      return { ready, spawning, running, missing };
    },
  },
];
