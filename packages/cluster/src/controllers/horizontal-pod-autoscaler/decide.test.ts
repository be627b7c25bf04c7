import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Pod } from "@homeostat/kubernetes/core/v1";
import { groupPods, type PodMetric, requestsOf } from "./pod-metrics.ts";
import { averageReplicas, perPodReplicas, type PodUsage, totalReplicas, utilizationReplicas } from "./replica-count.ts";
import { type Recommendation, ScaleHistory } from "./scale-history.ts";

const now = Date.UTC(2026, 0, 1, 12);
const tolerances = { scaleDown: 0.1, scaleUp: 0.1 };

interface PodState {
  readonly phase?: "Pending" | "Running" | "Failed";
  readonly isReady?: boolean;
  readonly ageSeconds?: number;
  readonly readySeconds?: number;
  readonly cpu?: string;
}

function pod(name: string, state: PodState = {}): Pod {
  const { phase = "Running", isReady = true, ageSeconds = 3600, readySeconds = ageSeconds, cpu = "100m" } = state;
  const before = (seconds: number): string => new Date(now - seconds * 1000).toISOString().replace(".000", "");
  const lastTransitionTime = before(readySeconds);
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "shop" },
    spec: { containers: [{ name: "web", ...(cpu === "" ? {} : { resources: { requests: { cpu } } }) }] },
    status: {
      phase,
      startTime: before(ageSeconds),
      conditions: [{ type: "Ready", status: isReady ? "True" : "False", lastTransitionTime }],
    },
  };
}

function metrics(values: Readonly<Record<string, number>>): Map<string, PodMetric> {
  const of = (value: number): PodMetric => ({ value: BigInt(value), at: now, windowMs: 15_000 });
  return new Map(Object.entries(values).map(([name, value]) => [name, of(value)]));
}

function usage(pods: readonly Pod[], values: Readonly<Record<string, number>>): PodUsage {
  return { current: pods.length, pods, metrics: metrics(values), resource: "cpu", tolerances, now };
}

describe("the replica count of a utilization target", () => {
  const target = { target: 50, container: "" };
  const three = [pod("a"), pod("b"), pod("c")];
  const cases: readonly (readonly [string, PodUsage, number, number | undefined])[] = [
    ["grows with the usage", usage(three, { a: 100, b: 100, c: 100 }), 6, 100],
    ["shrinks with the usage", usage(three, { a: 10, b: 10, c: 10 }), 1, 10],
    ["stays within the tolerance", usage(three, { a: 54, b: 54, c: 54 }), 3, 54],
    ["counts pods without a metric as idle before it grows", usage(three, { a: 100, b: 100 }), 4, 100],
    ["counts pods without a metric as busy before it shrinks", usage(three, { a: 10, b: 10 }), 3, 10],
    [
      "counts pending pods as idle before it grows",
      usage([pod("a"), pod("b", { phase: "Pending" })], { a: 150 }),
      3,
      150,
    ],
    ["ignores failed pods", usage([pod("a"), pod("b", { phase: "Failed" })], { a: 100, b: 900 }), 2, 100],
  ];

  for (const [name, given, replicas, utilization] of cases) {
    it(name, () => {
      const found = utilizationReplicas(given, target);

      assert.deepEqual([found.replicas, found.utilization], [replicas, utilization]);
    });
  }

  it("is unknown without pods, metrics or requests", () => {
    assert.throws(() => utilizationReplicas(usage([], {}), target), /no pods returned by selector/);
    assert.throws(() => utilizationReplicas(usage(three, {}), target), /did not receive metrics for targeted pods/);
    assert.throws(
      () => utilizationReplicas(usage([pod("a", { cpu: "" })], { a: 1 }), target),
      /missing request for cpu in container web of Pod a/,
    );
  });
});

describe("the replica count of a value target", () => {
  it("uses the average of the pods", () => {
    const given = { ...usage([pod("a"), pod("b")], { a: 30_000, b: 10_000 }), resource: "" };

    assert.deepEqual(averageReplicas(given, 10_000n), { replicas: 4, usage: 20_000n });
    assert.deepEqual(averageReplicas(given, 20_000n), { replicas: 2, usage: 20_000n });
  });

  it("uses the ready pods for a value of all pods together", () => {
    const given = { current: 3, pods: [pod("a"), pod("b"), pod("c", { isReady: false })], tolerances };

    assert.deepEqual(totalReplicas(90_000n, 30_000n, given), { replicas: 6, usage: 90_000n });
    assert.deepEqual(totalReplicas(31_000n, 30_000n, given), { replicas: 3, usage: 31_000n });
    assert.deepEqual(totalReplicas(31_000n, 30_000n, { ...given, current: 0 }), { replicas: 2, usage: 31_000n });
  });

  it("divides a value by the replicas of the status", () => {
    assert.deepEqual(perPodReplicas(70_000n, 10_000n, { statusReplicas: 4, tolerances }), {
      replicas: 7,
      usage: 17_500n,
    });
  });
});

describe("the pods of a scale target", () => {
  it("are starting for CPU until they have been ready for one window of the metric", () => {
    const pods = [
      pod("new", { ageSeconds: 60, readySeconds: 10 }),
      pod("young", { ageSeconds: 60, readySeconds: 20 }),
      pod("unready", { ageSeconds: 60, isReady: false }),
      pod("never-ready", { ageSeconds: 600, readySeconds: 590, isReady: false }),
      pod("broken", { ageSeconds: 600, readySeconds: 60, isReady: false }),
    ];
    const all = metrics({ new: 1, young: 1, unready: 1, "never-ready": 1, broken: 1 });

    assert.deepEqual(groupPods(pods, all, { resource: "cpu", now }).unready, ["new", "unready", "never-ready"]);
    assert.deepEqual(groupPods(pods, all, { resource: "memory", now }).unready, []);
  });

  it("request the sum of their containers and sidecars, or what the pod itself requests", () => {
    const request = (cpu: string): { resources: { requests: { cpu: string } } } => ({
      resources: { requests: { cpu } },
    });
    const plain = pod("plain");
    const containers = [{ name: "web", ...request("100m") }];
    const whole: Pod = {
      ...plain,
      spec: {
        containers,
        initContainers: [
          { name: "migrate", ...request("5") },
          { name: "proxy", restartPolicy: "Always", ...request("50m") },
        ],
      },
    };
    const level: Pod = { ...pod("level"), spec: { containers, ...request("2") } };

    assert.deepEqual([...requestsOf([whole, level], { resource: "cpu", container: "" }).values()], [150n, 2000n]);
    assert.deepEqual([...requestsOf([whole], { resource: "cpu", container: "proxy" }).values()], [50n]);
    assert.throws(() => requestsOf([whole], { resource: "cpu", container: "x" }), /container x not found in Pod plain/);
  });
});

describe("the limits of an autoscaler", () => {
  const given = (desired: number, more: Partial<Recommendation> = {}): Recommendation => ({
    current: 4,
    desired,
    min: 2,
    max: 20,
    behavior: undefined,
    now,
    ...more,
  });

  it("without behavior are twice the replicas, the minimum and the maximum", () => {
    const limit = (desired: number, more: Partial<Recommendation> = {}): unknown => {
      const { replicas, limited } = new ScaleHistory(1, now).limit(given(desired, more));
      return [replicas, limited.isLimited, limited.reason];
    };

    assert.deepEqual(limit(12), [8, true, "ScaleUpLimit"]);
    assert.deepEqual(limit(30, { max: 6 }), [6, true, "TooManyReplicas"]);
    assert.deepEqual(limit(1), [2, true, "TooFewReplicas"]);
    assert.deepEqual(limit(6), [6, false, "DesiredWithinRange"]);
  });

  it("keep the highest recommendation of five minutes", () => {
    const history = new ScaleHistory(4, now);

    const early = history.limit(given(2, { now: now + 60_000 }));
    const late = history.limit(given(2, { now: now + 301_000 }));

    assert.deepEqual([early.replicas, early.able.reason], [4, "ScaleDownStabilized"]);
    assert.deepEqual([late.replicas, late.able.reason], [2, "ReadyForNewScale"]);
  });

  it("count the changes of a period for the policies of behavior", () => {
    const policies = [
      { type: "Pods", value: 2, periodSeconds: 60 },
      { type: "Percent", value: 100, periodSeconds: 60 },
    ];
    const behavior = { scaleUp: { policies, selectPolicy: "Max", stabilizationWindowSeconds: 0 } };
    const slow = { scaleUp: { ...behavior.scaleUp, selectPolicy: "Min" } };
    const none = { scaleUp: { ...behavior.scaleUp, selectPolicy: "Disabled" } };
    const history = new ScaleHistory(4, now);

    assert.equal(history.limit(given(20, { behavior })).replicas, 8);
    assert.equal(history.limit(given(20, { behavior: slow })).replicas, 6);
    assert.equal(history.limit(given(20, { behavior: none })).replicas, 4);
    history.record({ from: 4, to: 6, behavior: slow, now });
    assert.equal(history.limit(given(20, { behavior: slow, current: 6, now: now + 30_000 })).replicas, 6);
    assert.equal(history.limit(given(20, { behavior: slow, current: 6, now: now + 61_000 })).replicas, 8);
  });

  it("remove no more replicas than the policies of scaleDown allow", () => {
    const policies = [{ type: "Percent", value: 10, periodSeconds: 60 }];
    const scaleDown = { policies, selectPolicy: "Max", stabilizationWindowSeconds: 0 };
    const history = new ScaleHistory(15, now);

    const { replicas, limited } = history.limit(given(2, { current: 15, behavior: { scaleDown } }));

    assert.deepEqual([replicas, limited.reason], [13, "ScaleDownLimit"]);
  });

  it("keep the lowest recommendation of the window of scaleUp", () => {
    const policies = [{ type: "Pods", value: 10, periodSeconds: 15 }];
    const behavior = { scaleUp: { policies, selectPolicy: "Max", stabilizationWindowSeconds: 60 } };
    const history = new ScaleHistory(4, now);

    const early = history.limit(given(8, { behavior, now: now + 30_000 }));
    const late = history.limit(given(9, { behavior, now: now + 61_000 }));

    assert.deepEqual([early.replicas, early.able.reason], [4, "ScaleUpStabilized"]);
    assert.deepEqual([late.replicas, late.able.reason], [8, "ScaleUpStabilized"]);
  });
});
