import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { DeepReadonly } from "homeostat";
import type { StatefulSet } from "@homeostat/kubernetes/apps/v1";
import type { PersistentVolumeClaim, Pod } from "@homeostat/kubernetes/core/v1";
import type { TimelineEntry } from "@homeostat/operator";
import type { ChronikCluster, ClusterStatus } from "../api/chronik-cluster.ts";
import type { Component } from "../api/identity.ts";
import { memberLabels } from "../api/labels.ts";
import { clusterWith } from "../testing/clusters.ts";
import { ChronikStory } from "./story.ts";

const name = "demo";

function podNamed(component: Component, ordinal: number, state: "ready" | "starting" | "terminating", uid = "u1"): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: `${name}-${component}-${ordinal}`,
      uid: `${component}-${ordinal}-${uid}`,
      labels: memberLabels(name, component),
      ...(state === "terminating" && { deletionTimestamp: "2026-01-01T00:00:00Z" }),
    },
    spec: { containers: [] },
    status: { conditions: [{ type: "Ready", status: state === "starting" ? "False" : "True" }] },
  };
}

function setOf(component: Component, replicas: number): StatefulSet {
  const labels = memberLabels(name, component);
  const template = { metadata: { labels }, spec: { containers: [] } };
  return {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name: `${name}-${component}`, labels },
    spec: { serviceName: "", replicas, selector: { matchLabels: labels }, template },
  };
}

function claimOf(request: string, capacity: string): PersistentVolumeClaim {
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: "data-demo-ingest-0", labels: memberLabels(name, "ingest") },
    spec: { resources: { requests: { storage: request } } },
    status: { capacity: { storage: capacity } },
  };
}

/** A story of three controllers and one ingest node that run, with `demo-controller-2` as the leader. */
class StoryBench {
  readonly entries: TimelineEntry[] = [];
  readonly story: ChronikStory = new ChronikStory({ name, onEntry: (entry) => void this.entries.push(entry) });
  #generation = 1;

  constructor() {
    for (const [component, count] of [["controller", 3] as const, ["ingest", 1] as const]) {
      this.story.onWorkload({ atMs: -1, type: "added", object: setOf(component, count), before: undefined });
      for (let ordinal = 0; ordinal < count; ordinal += 1) this.pod(-1, podNamed(component, ordinal, "ready"));
    }
    this.status(-1, { phase: "Running", quorum: { voters: 3, ready: 3, leader: "demo-controller-2" } });
    this.story.begin();
    this.entries.length = 0;
  }

  get lines(): string[] {
    return this.entries.map(({ atMs, topic, text }) => `${atMs / 1_000} ${topic} ${text}`);
  }

  pod(atMs: number, object: Pod, type: "modified" | "deleted" = "modified"): void {
    this.story.onPod({ atMs, type, object, before: undefined });
  }

  status(atMs: number, status: Partial<ClusterStatus>): void {
    const { metadata, ...rest } = clusterWith({}, name);
    const object: DeepReadonly<ChronikCluster> = {
      ...rest,
      metadata: { ...metadata, generation: this.#generation },
      status: { observedGeneration: this.#generation, ...status },
    };
    this.story.onCluster({ atMs, type: "modified", object, before: undefined });
  }

  /** Restarts a pod: it terminates, is replaced a second later, and becomes ready. */
  restart(atMs: number, component: Component, ordinal: number, readyAfterMs: number): void {
    this.pod(atMs, podNamed(component, ordinal, "terminating"));
    this.pod(atMs + 1_000, podNamed(component, ordinal, "terminating"), "deleted");
    this.pod(atMs + 1_000, podNamed(component, ordinal, "starting", "u2"));
    this.pod(atMs + readyAfterMs, podNamed(component, ordinal, "ready", "u2"));
  }
}

const leader = { voters: 3, ready: 3, leader: "demo-controller-2" };
const startedAt = "2026-01-01T00:00:00Z";
const limits = { now: Date.UTC(2026, 0, 1), deadline: Date.UTC(2026, 0, 1, 2) };

function rollout(
  blockedBy: string | undefined,
  message = "",
  component: "controller" | "ingest" = "controller",
): NonNullable<ClusterStatus["rollout"]> {
  const gate = blockedBy === undefined ? {} : { blockedBy, message };
  return { startedAt, reasons: ["ConfigChanged"], components: [{ component, outdated: 1, ...gate }] };
}

describe("the story of a ChronikCluster", () => {
  it("numbers restarts, names the leader, and says which gates each restart waited for", () => {
    const bench = new StoryBench();

    bench.status(0, { phase: "Updating", quorum: leader, rollout: rollout(undefined) });
    bench.restart(1_000, "controller", 1, 20_000);
    bench.status(2_000, { phase: "Updating", quorum: leader, rollout: rollout("NewPodNotReady", "1 is not ready") });
    bench.status(21_000, { phase: "Updating", quorum: leader, rollout: rollout("Delay", "the last restart was 1") });
    bench.restart(31_000, "controller", 2, 20_000);

    assert.deepEqual(bench.lines, [
      "0 phase Running -> Updating",
      "0 rollout pods are outdated: ConfigChanged",
      "1 restart 1. demo-controller-1 (controller 1, follower)",
      "21 ready demo-controller-1 is ready, 20s after its restart",
      "31 restart 2. demo-controller-2 (controller 2, leader; waited for NewPodNotReady 19s, Delay 10s)",
      "51 ready demo-controller-2 is ready, 20s after its restart",
    ]);
    assert.deepEqual(bench.entries[4]?.data, {
      pod: "demo-controller-2",
      component: "controller",
      ordinal: 2,
      isLeader: true,
      waitedNewPodNotReadyMs: 19_000,
      waitedDelayMs: 10_000,
    });
  });

  it("counts the fewest ready pods and the most members that were down at once", () => {
    const bench = new StoryBench();

    bench.restart(1_000, "controller", 0, 20_000);
    bench.pod(30_000, podNamed("controller", 1, "terminating"));
    bench.pod(31_000, podNamed("ingest", 0, "terminating"));

    assert.deepEqual(bench.story.summary(60_000), [
      { name: "restarts", text: "3: demo-controller-0, demo-controller-1, demo-ingest-0", value: 3 },
      { name: "fewest ready controllers", text: "2 of 3", value: 2 },
      { name: "fewest ready ingest nodes", text: "0 of 1", value: 0 },
      { name: "most members down at once", text: "2", value: 2 },
    ]);
  });

  it("reports a removed member as removed, and a new member neither as restarted nor as down", () => {
    const bench = new StoryBench();
    const before = setOf("controller", 3);

    bench.story.onWorkload({ atMs: 0, type: "modified", object: setOf("controller", 4), before });
    bench.pod(1_000, podNamed("controller", 3, "starting"));
    bench.pod(20_000, podNamed("controller", 3, "ready"));
    bench.story.onWorkload({ atMs: 30_000, type: "modified", object: before, before: setOf("controller", 4) });
    bench.pod(31_000, podNamed("controller", 3, "terminating"));
    bench.pod(32_000, podNamed("controller", 3, "terminating"), "deleted");

    assert.deepEqual(bench.lines, [
      "0 scale demo-controller: 3 -> 4",
      "20 ready demo-controller-3 is ready",
      "30 scale demo-controller: 4 -> 3",
      "31 remove demo-controller-3 (controller 3) is removed",
    ]);
    assert.equal(bench.story.summary(40_000).at(-1)?.value, 0);
  });

  it("reports drains, volumes, new leaders, warnings and notable conditions", () => {
    const bench = new StoryBench();
    const lastTransitionTime = startedAt;
    const blocked = {
      type: "ScaleDownBlocked",
      reason: "DrainTimeout",
      message: "too slow",
      lastTransitionTime,
    } as const;

    bench.story.warned("spec.controllers: an even number");
    bench.status(0, {
      phase: "Updating",
      quorum: { ...leader, leader: "demo-controller-0" },
      scaleDown: [{ component: "ingest", pod: "demo-ingest-1", startedAt }],
      warnings: [
        { reason: "EvenControllerCount", message: "an even number" },
        { reason: "SingleController", message: "one controller" },
      ],
    });
    bench.status(60_000, { phase: "Updating", conditions: [{ ...blocked, status: "True" }] });
    bench.status(90_000, { phase: "Updating", conditions: [{ ...blocked, status: "False", reason: "NotBlocked" }] });
    const before = claimOf("1Gi", "1Gi");
    bench.story.onClaim({ atMs: 91_000, type: "modified", object: claimOf("2Gi", "1Gi"), before });
    bench.story.onClaim({
      atMs: 92_000,
      type: "modified",
      object: claimOf("2Gi", "2Gi"),
      before: claimOf("2Gi", "1Gi"),
    });

    assert.deepEqual(bench.lines, [
      "0 phase Running -> Updating",
      "0 warning SingleController: one controller",
      "0 drain demo-ingest-1 drains",
      "0 leader demo-controller-2 -> demo-controller-0",
      "60 condition ScaleDownBlocked is True: DrainTimeout: too slow",
      "60 drain demo-ingest-1 has left, after 1m0s",
      "90 condition ScaleDownBlocked is False: NotBlocked",
      "91 volume data-demo-ingest-0 grows: 1Gi -> 2Gi",
      "92 volume data-demo-ingest-0 has 2Gi",
    ]);
  });

  it("ignores objects of other clusters, and pods that are replaced already", () => {
    const bench = new StoryBench();
    const other = podNamed("controller", 0, "terminating");

    bench.pod(0, { ...other, metadata: { ...other.metadata, labels: memberLabels("other", "controller") } });
    bench.pod(1_000, podNamed("controller", 0, "terminating", "u0"), "deleted");

    assert.deepEqual(bench.lines, []);
  });
});

describe("the outlook of a rehearsed change", () => {
  it("is settled when the cluster runs with its latest spec and nothing is planned", () => {
    const bench = new StoryBench();
    const settled = (): unknown => bench.story.outlook(100_000, limits);

    assert.deepEqual(settled(), { type: "settled", sinceMs: 0 });
    bench.status(1_000, { phase: "Running", observedGeneration: 0 });
    assert.deepEqual(settled(), { type: "busy" });
    bench.status(2_000, { phase: "Running", rollout: rollout(undefined) });
    assert.deepEqual(settled(), { type: "busy" });
    bench.status(3_000, { phase: "Running" });
    assert.deepEqual(settled(), { type: "settled", sinceMs: 3_000 });
  });

  it("is blocked by a gate that a user has to open, and names it", () => {
    const bench = new StoryBench();

    bench.status(0, { phase: "Updating", rollout: rollout("Manual", "delete the pod") });

    assert.deepEqual(bench.story.outlook(60_000, limits), { type: "busy" });
    assert.deepEqual(bench.story.outlook(120_000, limits), {
      type: "blocked",
      reasons: ["gate Manual of controller is closed: delete the pod"],
    });
  });

  it("waits for a maintenance window that opens before the deadline, and is blocked by a later one", () => {
    const soon = new StoryBench();
    const late = new StoryBench();
    const window = (time: string): string => `the next maintenance window opens at ${time}`;

    soon.status(0, { phase: "Updating", rollout: rollout("Window", window("2026-01-01T01:00:00.000Z")) });
    late.status(0, { phase: "Updating", rollout: rollout("Window", window("2026-01-01T03:00:00.000Z")) });

    assert.deepEqual(soon.story.outlook(3_000_000, { ...limits, now: limits.now + 3_000_000 }), { type: "busy" });
    assert.equal(late.story.outlook(120_000, limits).type, "blocked");
  });

  it("is failed when the operator reports a permanent error", () => {
    const bench = new StoryBench();

    bench.status(0, { phase: "Failed" });

    assert.deepEqual(bench.story.outlook(120_000, limits), { type: "failed", reasons: ["the phase is Failed"] });
  });

  it("is blocked when nothing has happened for longer than the time limits of the spec", () => {
    const bench = new StoryBench();

    bench.status(0, { phase: "Updating", rollout: rollout("Quorum", "2 of 3 vote") });

    assert.deepEqual(bench.story.outlook(600_000, limits), { type: "busy" });
    assert.equal(bench.story.outlook(3_000_000, limits).type, "blocked");
  });
});
