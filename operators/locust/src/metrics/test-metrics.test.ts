import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Registry } from "@homeostat/runtime";
import type { LocustTest } from "../api/locust-test.ts";
import { snapshotOf, totalRow, viewOf } from "../testing/snapshots.ts";
import { TestMetrics } from "./test-metrics.ts";

function test(name: string): LocustTest {
  return {
    apiVersion: "locust.io/v2",
    kind: "LocustTest",
    metadata: { namespace: "shop", name },
    spec: {
      image: "locust",
      imagePullPolicy: "IfNotPresent",
      master: { command: "-f x", autostart: true },
      worker: { command: "-f x", replicas: 1, backoffLimit: 0, ignoreDisruptions: false, connectTimeoutSeconds: 0 },
    },
  };
}

const snapshot = snapshotOf({
  userCount: 5,
  currentRps: 12.5,
  currentP50: 20,
  currentP95: 48,
  workers: { ready: 0, spawning: 0, running: 2, missing: 1, maxCpuPercent: undefined },
  rows: [totalRow({ requests: 30, failures: 3 })],
});

const view = viewOf({ snapshot });

/** Returns the samples of load tests, without help and type lines. */
function shown(registry: Registry): string[] {
  return registry
    .expose()
    .split("\n")
    .filter((line) => line.startsWith("locust_operator_") && !line.includes("_bucket"));
}

describe("the metrics of load tests", () => {
  it("count tests by phase and expose the statistics of running tests", () => {
    const metrics = new TestMetrics();
    const registry = new Registry();
    metrics.register(registry, { view: (key) => (key === "shop/a" ? view : undefined) });

    metrics.observePhase(test("a"), "Running");
    metrics.observePhase(test("b"), "Succeeded");
    metrics.observePhase(test("c"), undefined);
    metrics.observePhase(test("c"), "Succeeded");
    metrics.observeEnd("shop", "Passed", 90);
    metrics.observePollError();

    assert.deepEqual(shown(registry).toSorted(), [
      "locust_operator_stats_poll_errors_total 1",
      'locust_operator_test_duration_seconds_count{namespace="shop",outcome="Passed"} 1',
      'locust_operator_test_duration_seconds_sum{namespace="shop",outcome="Passed"} 90',
      'locust_operator_test_failures_total{namespace="shop",test="a"} 3',
      'locust_operator_test_requests_total{namespace="shop",test="a"} 30',
      'locust_operator_test_response_time_ms{namespace="shop",quantile="0.5",test="a"} 20',
      'locust_operator_test_response_time_ms{namespace="shop",quantile="0.95",test="a"} 48',
      'locust_operator_test_rps{namespace="shop",test="a"} 12.5',
      'locust_operator_test_users{namespace="shop",test="a"} 5',
      'locust_operator_test_workers{namespace="shop",state="missing",test="a"} 1',
      'locust_operator_test_workers{namespace="shop",state="ready",test="a"} 0',
      'locust_operator_test_workers{namespace="shop",state="running",test="a"} 2',
      'locust_operator_test_workers{namespace="shop",state="spawning",test="a"} 0',
      'locust_operator_tests{namespace="shop",phase="Running"} 1',
      'locust_operator_tests{namespace="shop",phase="Succeeded"} 2',
    ]);
  });

  it("forget a deleted test", () => {
    const metrics = new TestMetrics();
    const registry = new Registry();
    metrics.register(registry, { view: () => view });
    metrics.observePhase(test("a"), "Running");

    metrics.forget("shop", "a");

    assert.deepEqual(shown(registry), ["locust_operator_stats_poll_errors_total 0"]);
  });
});
