import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { annotations, ChronikCluster, names, restartGateNames } from "@homeostat/chronik-operator";
import type { TreeNode } from "../api/types.ts";
import { restartAnnotation } from "../actions/chronik-actions.ts";
import { clusterState, gatesOfRoles, gateStates, roles } from "./cluster-state.ts";

const ref = {
  group: "chronik.stream",
  version: "v1alpha1",
  kind: "ChronikCluster",
  plural: "",
  namespace: "a",
  name: "events",
};

function pod(name: string): TreeNode {
  return {
    ...ref,
    group: "",
    kind: "Pod",
    name,
    uid: name,
    createdAt: "",
    state: "ready",
    word: "Running",
    message: "",
  };
}

const status = {
  quorum: { voters: 3, ready: 2, leader: "events-controller-1" },
  desiredReplicas: { controllers: 3, ingestNodes: 3, searchNodes: 0 },
  readyReplicas: { controllers: 2, ingestNodes: 3, searchNodes: 0 },
  updatedReplicas: { controllers: 1, ingestNodes: 0, searchNodes: 0 },
  rollout: {
    pod: "events-controller-2",
    startedAt: "2026-11-18T10:00:00Z",
    components: [
      {
        component: "controller",
        outdated: 2,
        blockedBy: "NewPodNotReady",
        message: "events-controller-2 is not ready",
      },
    ],
  },
  plan: [{ step: "RestartPod", component: "controller", target: "events-controller-1", waitsFor: "NewPodNotReady" }],
};

describe("the state of a streaming cluster", () => {
  const tree = [
    pod("events-ingest-0"),
    pod("events-controller-10"),
    pod("events-controller-1"),
    pod("events-controller-2"),
    pod("other"),
  ];
  const state = clusterState({ ref, tree, status });

  it("has the members by role with the leader and the pod that restarted last", () => {
    assert.deepEqual(
      state.members.map(({ node, role, isLeader, note }) => [node.name, role, isLeader, note]),
      [
        ["events-controller-1", "controller", true, ""],
        ["events-controller-2", "controller", false, "restarted last"],
        ["events-controller-10", "controller", false, ""],
        ["events-ingest-0", "ingest", false, ""],
      ],
    );
    assert.deepEqual([state.caughtUp, state.voters], [2, 3]);
  });

  it("has open gates before the closed one, and unchecked ones after it", () => {
    const [controllers, ingest] = state.progress;

    const byState = (wanted: string) =>
      controllers?.gates.filter((gate) => gate.state === wanted).map(({ name }) => name);
    assert.deepEqual(byState("closed"), ["NewPodNotReady"]);
    assert.deepEqual(byState("unchecked"), ["Canary", "Delay", "Quorum", "Budget"]);
    assert.equal(byState("open")?.length, 6);
    assert.deepEqual([ingest?.gates, ingest?.ready, ingest?.updated], [[], 3, 0]);
  });

  it("has the plan", () => {
    assert.equal(state.plan[0]?.step, "RestartPod");
    assert.equal(state.plan[0]?.waitsFor, "NewPodNotReady");
  });

  it("is empty without a status", () => {
    assert.deepEqual(clusterState({ ref, tree: [], status: null }).members, []);
  });

  it("shows a closed gate that it does not know", () => {
    assert.deepEqual(gateStates(["A"], "New"), [
      { name: "A", state: "open" },
      { name: "New", state: "closed" },
    ]);
  });
});

describe("names of the chronik operator", () => {
  it("are those that the dashboard uses", () => {
    assert.deepEqual(gatesOfRoles, restartGateNames);
    assert.equal(restartAnnotation, annotations.restart);
    assert.deepEqual([ChronikCluster.group, ChronikCluster.kind], [ref.group, ref.kind]);
    for (const { role } of roles) assert.match(names.member("events", role, 0), new RegExp(`^events-${role}-`));
  });
});
