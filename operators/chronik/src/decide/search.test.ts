import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ObservedDeployment, ObservedSearchPod, SearchColor } from "../observe/observed.ts";
import { now, outdated, stepInput, tier, unready } from "../testing/observed-clusters.ts";
import { assessQuorum } from "./quorum.ts";
import { decideSearch, type SearchInput } from "./search.ts";
import { assignSlots } from "./slots.ts";

function deployment(color: SearchColor, change: Partial<ObservedDeployment> = {}): ObservedDeployment {
  return {
    color,
    generation: 1,
    observedGeneration: 1,
    templateHash: "new",
    desiredReplicas: 2,
    replicas: 2,
    updatedReplicas: 2,
    readyReplicas: 2,
    isDeadlineExceeded: false,
    ...change,
  };
}

interface Case {
  readonly deployments: readonly ObservedDeployment[];
  readonly active?: SearchColor;
  readonly switchedAt?: number;
  readonly change?: Partial<SearchInput>;
  readonly step?: Parameters<typeof stepInput>[0];
}

function decide({ deployments, active, switchedAt, change = {}, step = {} }: Case): string {
  const { observed, policy, desired, permission } = stepInput({ ...step, previous: { searchSwitchedAt: switchedAt } });
  const { members } = observed.controller;
  const quorum = assessQuorum({ members, replicas: members.length, quorumCheck: "Auto", minReadySeconds: 10, now });
  const result = decideSearch({
    observed: { ...observed, search: { deployments, pods: [], slots: [], activeColor: active } },
    policy: policy.updateStrategy,
    quorum,
    targets: desired,
    permission,
    now,
    strategy: "Rolling",
    rollbackSeconds: 600,
    replicas: 2,
    templateHash: "new",
    memberTemplateHashes: { controller: "template", ingest: "template" },
    ...change,
  });
  switch (result.type) {
    case "none":
      return "none";
    case "apply":
      return `apply ${result.color} ${result.replicas}${result.isSurge ? " surge" : ""}`;
    case "hold":
      return `hold ${result.closed.gate}`;
    default:
      return `${result.type} ${result.color}`;
  }
}

const old = { templateHash: "old" };
const blueGreen = { strategy: "BlueGreen" } as const;

describe("the search tier with rolling updates", () => {
  const rows: readonly (readonly [string, Case, string])[] = [
    ["first creation", { deployments: [] }, "apply plain 2"],
    ["complete", { deployments: [deployment("plain")], active: "plain" }, "none"],
    ["scaled", { deployments: [deployment("plain")], active: "plain", change: { replicas: 5 } }, "apply plain 5"],
    ["a new template", { deployments: [deployment("plain", old)], active: "plain" }, "apply plain 2"],
    [
      "the StatefulSet of the controllers gets its new template in this reconcile",
      {
        deployments: [deployment("plain", old)],
        active: "plain",
        change: { memberTemplateHashes: { controller: "next", ingest: "template" } },
      },
      "hold TierOrder",
    ],
    [
      "the StatefulSet of the ingest nodes is not observed yet",
      {
        deployments: [deployment("plain", old)],
        active: "plain",
        step: { ingest: tier("ingest", 3, { generation: 3 }) },
      },
      "hold TierOrder",
    ],
    [
      "controllers are outdated",
      {
        deployments: [deployment("plain", old)],
        active: "plain",
        step: { controller: tier("controller", [outdated, {}, {}]) },
      },
      "hold TierOrder",
    ],
    [
      "ingest nodes are outdated",
      {
        deployments: [deployment("plain", old)],
        active: "plain",
        step: { ingest: tier("ingest", [outdated, {}, {}]) },
      },
      "hold TierOrder",
    ],
    [
      "the quorum is lost",
      {
        deployments: [deployment("plain", old)],
        active: "plain",
        step: { controller: tier("controller", [{}, unready, unready]) },
      },
      "hold TierOrder",
    ],
    [
      "no search node is ready",
      {
        deployments: [deployment("plain", { ...old, readyReplicas: 0 })],
        active: "plain",
        step: { controller: tier("controller", [outdated, {}, {}]) },
      },
      "apply plain 2",
    ],
    [
      "the strategy is Manual",
      { deployments: [deployment("plain", old)], active: "plain", step: { policy: { type: "Manual" } } },
      "hold Manual",
    ],
    [
      "no window is open",
      {
        deployments: [deployment("plain", old)],
        active: "plain",
        step: { policy: { windows: [{ days: ["Mon"], start: "00:00", durationMinutes: 15 }] } },
      },
      "hold Window",
    ],
    [
      "another cluster rolls",
      {
        deployments: [deployment("plain", old)],
        active: "plain",
        step: { permission: { isAllowed: false, waitsFor: "a", message: "" } },
      },
      "hold RolloutLimit",
    ],
    ["back from blue-green", { deployments: [deployment("blue")], active: "blue" }, "apply plain 2 surge"],
  ];
  for (const [title, input, expected] of rows) {
    it(`${title}: ${expected}`, () => {
      assert.equal(decide(input), expected);
    });
  }
});

describe("the search tier with blue-green updates", () => {
  const both = (
    green: Partial<ObservedDeployment>,
    blue: Partial<ObservedDeployment> = old,
  ): readonly ObservedDeployment[] => [deployment("blue", blue), deployment("green", green)];
  const rows: readonly (readonly [string, Case, string])[] = [
    ["first creation", { deployments: [], change: blueGreen }, "apply blue 2"],
    ["complete", { deployments: [deployment("blue")], active: "blue", change: blueGreen }, "none"],
    [
      "from a plain Deployment",
      { deployments: [deployment("plain")], active: "plain", change: blueGreen },
      "apply blue 2 surge",
    ],
    [
      "a new template",
      { deployments: [deployment("blue", old)], active: "blue", change: blueGreen },
      "apply green 2 surge",
    ],
    [
      "the StatefulSet of the controllers gets its new template in this reconcile",
      {
        deployments: [deployment("plain", old)],
        active: "plain",
        change: { memberTemplateHashes: { controller: "next", ingest: "template" } },
      },
      "hold TierOrder",
    ],
    [
      "the StatefulSet of the ingest nodes is not observed yet",
      {
        deployments: [deployment("plain", old)],
        active: "plain",
        step: { ingest: tier("ingest", 3, { generation: 3 }) },
      },
      "hold TierOrder",
    ],
    [
      "controllers are outdated",
      {
        deployments: [deployment("blue", old)],
        active: "blue",
        change: blueGreen,
        step: { controller: tier("controller", [outdated, {}, {}]) },
      },
      "hold TierOrder",
    ],
    [
      "the idle color has a former template",
      { deployments: both({ templateHash: "older" }), active: "blue", change: blueGreen },
      "apply green 2 surge",
    ],
    [
      "the idle color starts",
      { deployments: both({ readyReplicas: 1 }), active: "blue", change: blueGreen },
      "wait green",
    ],
    [
      "the idle color is not observed",
      { deployments: both({ generation: 2 }), active: "blue", change: blueGreen },
      "wait green",
    ],
    ["the idle color is ready", { deployments: both({}), active: "blue", change: blueGreen }, "switch green"],
    [
      "switched a moment ago",
      { deployments: both({}), active: "green", switchedAt: now - 599_000, change: blueGreen },
      "wait blue",
    ],
    [
      "switched long ago",
      { deployments: both({}), active: "green", switchedAt: now - 600_000, change: blueGreen },
      "remove blue",
    ],
    [
      "rolled back within the time",
      {
        deployments: both({}),
        active: "green",
        switchedAt: now - 1_000,
        change: { ...blueGreen, templateHash: "old" },
      },
      "switch blue",
    ],
    [
      "the count changes during the update",
      { deployments: both({}), active: "blue", change: { ...blueGreen, replicas: 3 } },
      "apply green 3 surge",
    ],
    ["the Service is gone", { deployments: [deployment("green")], change: blueGreen }, "switch green"],
  ];
  for (const [title, input, expected] of rows) {
    it(`${title}: ${expected}`, () => {
      assert.equal(decide(input), expected);
    });
  }
});

describe("assignSlots", () => {
  const pod = (name: string, change: Partial<ObservedSearchPod> = {}): ObservedSearchPod => ({
    podName: name,
    uid: name,
    ip: "10.0.0.1",
    color: "plain",
    isReady: true,
    stuck: undefined,
    isTerminating: false,
    createdAt: now,
    node: undefined,
    zone: undefined,
    ...change,
  });
  const slotsOf = (pods: readonly ObservedSearchPod[], slots: Readonly<Record<number, string>> = {}): string =>
    assignSlots(
      pods,
      Object.entries(slots).map(([slot, podUid]) => ({ slot: Number(slot), podUid })),
    )
      .map(({ slot, pod: { podName } }) => `${slot}=${podName}`)
      .join(" ");

  it("gives the lowest slots to new pods, the oldest first", () => {
    assert.equal(slotsOf([pod("b"), pod("a"), pod("z", { createdAt: now - 1 })]), "0=z 1=a 2=b");
  });

  it("keeps the slot of a ready pod, and fills the gap with a new one", () => {
    assert.equal(slotsOf([pod("b"), pod("c")], { 0: "a", 1: "b" }), "0=c 1=b");
  });

  it("takes the slot of a pod that is not ready, terminates or has no address", () => {
    for (const change of [{ isReady: false }, { isTerminating: true }, { ip: undefined }])
      assert.equal(slotsOf([pod("a", change), pod("b")], { 0: "a" }), "0=b");
  });

  it("repairs a slice that names a pod twice", () => {
    assert.equal(slotsOf([pod("a"), pod("b")], { 0: "a", 4: "a" }), "0=a 1=b");
  });

  it("is stable when it is repeated", () => {
    const pods = [pod("a"), pod("b"), pod("c")];
    const first = assignSlots(pods, [{ slot: 7, podUid: "b" }]);
    const again = assignSlots(
      pods.toReversed(),
      first.map(({ slot, pod: { uid } }) => ({ slot, podUid: uid })),
    );

    assert.deepEqual(again, first);
  });
});
