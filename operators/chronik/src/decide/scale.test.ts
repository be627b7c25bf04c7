import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ComponentResult, DrainView } from "../component/contract.ts";
import type { ObservedMember, ObservedTier } from "../observe/observed.ts";
import {
  claim,
  now,
  outdated,
  previous,
  quorumView,
  stepInput,
  tier,
  unready,
  voting,
} from "../testing/observed-clusters.ts";
import { desiredCounts } from "./counts.ts";
import { decideStep } from "./plan.ts";
import { assessQuorum } from "./quorum.ts";
import { decideRebuild } from "./rebuild.ts";
import { type ControllersInput, decideControllers } from "./scale-controllers.ts";
import { decideIngest, effectiveIngestTarget, type IngestInput } from "./scale-ingest.ts";

describe("desiredCounts", () => {
  const counts = { controller: 3, ingest: 3, search: 2 };
  const range = { minReplicas: 1, maxReplicas: 7 };
  const groups = { controller: undefined, ingest: undefined, search: undefined };

  it("returns the counts of the spec without autoscaling", () => {
    const found = desiredCounts({ counts, autoscaling: {}, nodeGroups: { ...groups, search: 5 } });

    assert.deepEqual(found, counts);
  });

  it("returns the count of the autoscaler within its range", () => {
    const searchFor = (search: number): number =>
      desiredCounts({ counts, autoscaling: { search: range }, nodeGroups: { ...groups, search } }).search;

    assert.deepEqual([0, 1, 5, 9].map(searchFor), [1, 1, 5, 7]);
    assert.equal(desiredCounts({ counts, autoscaling: { search: range }, nodeGroups: groups }).search, 2);
  });

  it("lowers an even count of autoscaled controllers", () => {
    const controllersFor = (controller: number): number =>
      desiredCounts({ counts, autoscaling: { controller: range }, nodeGroups: { ...groups, controller } }).controller;

    assert.deepEqual([1, 2, 3, 4, 6, 8].map(controllersFor), [1, 1, 3, 3, 5, 7]);
    assert.equal(
      desiredCounts({ counts: { ...counts, controller: 4 }, autoscaling: {}, nodeGroups: groups }).controller,
      4,
    );
  });
});

function controllersStep(controller: ObservedTier, change: Partial<ControllersInput> = {}): string {
  const quorum = assessQuorum({
    members: controller.members,
    replicas: controller.set?.replicas ?? 0,
    quorumCheck: "Auto",
    minReadySeconds: 10,
    now,
  });
  const step = decideControllers({
    tier: controller,
    desired: 3,
    membership: "Dynamic",
    quorum,
    previous,
    minReadySeconds: 10,
    now,
    ...change,
  });
  switch (step.type) {
    case "none":
      return "none";
    case "wait":
      return `wait: ${step.reason}`;
    case "addVoter":
      return `add ${step.voter.id} ${step.voter.incarnation} at ${step.leader}`;
    case "removeVoter":
      return `remove ${step.voter.id} ${step.voter.incarnation} at ${step.leader}: ${step.reason}`;
    case "transferLeader":
      return `transfer from ${step.leader}`;
    case "setReplicas":
      return `${step.from} to ${step.to}`;
  }
}

describe("scaling of controllers", () => {
  const views = (count: number, voters: number, leaderId = 1): ObservedTier =>
    voting(tier("controller", count), { voters, leaderId });

  const rows: readonly (readonly [string, ObservedTier, Partial<ControllersInput>, string])[] = [
    ["nothing to do", views(3, 3), {}, "none"],
    ["one more at a time", views(3, 3), { desired: 5 }, "3 to 4"],
    [
      "the new controller does not vote yet",
      voting(tier("controller", [{}, {}, {}, unready]), { voters: 3 }),
      { desired: 5 },
      "add 4 d4 at c-controller-0",
    ],
    [
      "the new controller does not respond yet",
      voting(tier("controller", [{}, {}, {}, { ...unready, component: { quorum: { type: "timeout" } } }]), {
        voters: 3,
      }),
      { desired: 5 },
      "wait: c-controller-3 is not ready",
    ],
    [
      "the new controller votes and is not ready",
      voting(tier("controller", [{}, {}, {}, unready]), { voters: 4 }),
      { desired: 5 },
      "wait: c-controller-3 is not ready",
    ],
    ["the new controller votes and is ready", views(4, 4), { desired: 5 }, "4 to 5"],
    [
      "a controller is not ready",
      tier("controller", [{}, {}, unready]),
      { desired: 5 },
      "wait: c-controller-2 is not ready",
    ],
    ["a pod is missing", tier("controller", [{}, undefined, {}]), { desired: 5 }, "wait: ordinal 1 is not ready"],
    [
      "the quorum is unknown",
      tier("controller", [{}, {}, { component: { quorum: { type: "timeout" } } }]),
      { desired: 5 },
      "wait: 0 of 3 controllers report the quorum; c-controller-2 did not respond in time",
    ],
    [
      "no quorum has existed",
      views(3, 3),
      { desired: 5, previous: { ...previous, bootstrapped: false } },
      "wait: the controllers have not formed their first quorum",
    ],
    ["without the endpoint", tier("controller", 3), { desired: 5 }, "3 to 4"],
    ["static membership", views(3, 3), { desired: 5, membership: "Static" }, "3 to 4"],
    ["down: the last controller is removed as a voter", views(5, 5), {}, "remove 5 d5 at c-controller-0: ScaleDown"],
    ["down: the leadership moves first", views(5, 5, 5), {}, "transfer from c-controller-4"],
    [
      "down: the leader does not hand over",
      views(5, 5, 5),
      {
        previous: {
          ...previous,
          scaleDown: { controller: { podName: "c-controller-4", since: now - 30_000 } },
        },
      },
      "remove 5 d5 at c-controller-4: ScaleDown",
    ],
    ["down: it does not vote any more", views(5, 4), {}, "5 to 4"],
    [
      "down: its pod still terminates",
      { ...views(5, 4), set: tier("controller", 4).set },
      {},
      "wait: c-controller-4 is being removed",
    ],
    [
      "down: another controller is not ready",
      tier("controller", [{}, unready, {}, {}, {}]),
      {},
      "wait: c-controller-1 is not ready",
    ],
    [
      "down: the last controller is down",
      voting(tier("controller", [{}, {}, {}, {}, { ...unready, component: { quorum: { type: "timeout" } } }]), {
        voters: 5,
      }),
      {},
      "remove 5 d5 at c-controller-0: ScaleDown",
    ],
    ["down: two of two without the endpoint", tier("controller", [{}, unready]), { desired: 1 }, "2 to 1"],
    [
      "a controller lost its disk",
      voting(tier("controller", [{}, {}, { ...unready, component: { quorum: quorumView(3, { incarnation: "x" }) } }])),
      {},
      "remove 3 d3 at c-controller-0: DiskLost",
    ],
    [
      "its former voter is removed",
      voting(
        tier("controller", [
          {},
          {},
          { ...unready, component: { quorum: quorumView(3, { incarnation: "x", voters: 2 }) } },
        ]),
        { voters: 2 },
      ),
      {},
      "add 3 x at c-controller-0",
    ],
    [
      "the voters cannot commit a change",
      voting(
        tier("controller", [
          {},
          { readySince: now },
          { ...unready, component: { quorum: quorumView(3, { incarnation: "x" }) } },
        ]),
      ),
      {},
      "wait: 1 of 3 voters are ready, and the majority is 2",
    ],
    ["a voter without a pod", views(3, 4), {}, "remove 4 d4 at c-controller-0: PodRemoved"],
    ["a controller that is being removed is not added again", views(4, 3), {}, "4 to 3"],
  ];
  for (const [title, observed, change, expected] of rows) {
    it(`${title}: ${expected}`, () => {
      assert.equal(controllersStep(observed, change), expected);
    });
  }
});

describe("scaling of ingest nodes", () => {
  const drain = (state: DrainView["state"], partitions = 0): Partial<ObservedMember> => ({
    component: { drain: { type: "response", value: { state, partitions } } },
  });
  const failed = (result: ComponentResult<DrainView>): Partial<ObservedMember> => ({ component: { drain: result } });
  const since = (ms: number): Partial<IngestInput> => ({
    previous: { scaleDown: { ingest: { podName: "c-ingest-2", since: now - ms } } },
  });
  const stepOf = (last: Partial<ObservedMember> | undefined, change: Partial<IngestInput> = {}): string => {
    const observed = tier("ingest", [{}, {}, last]);
    const step = decideIngest({
      tier: observed,
      desired: 1,
      drain: "Auto",
      timeoutSeconds: 600,
      isSkipped: false,
      previous,
      now,
      ...change,
    });
    switch (step.type) {
      case "none":
        return "none";
      case "wait":
        return `wait: ${step.reason}`;
      case "blocked":
        return `blocked: ${step.reason}`;
      case "setReplicas":
        return `${step.from} to ${step.to}`;
      case "startDrain":
      case "cancelDrain":
        return `${step.type} ${step.podName}`;
    }
  };

  const rows: readonly (readonly [string, Partial<ObservedMember> | undefined, Partial<IngestInput>, string])[] = [
    ["up in one step", {}, { desired: 9 }, "3 to 9"],
    ["nothing to do", {}, { desired: 3 }, "none"],
    ["idle", drain("idle", 3), {}, "startDrain c-ingest-2"],
    ["draining", drain("draining", 3), since(599_000), "wait: c-ingest-2 has 3 partitions left"],
    ["draining for too long", drain("draining", 3), since(601_000), "blocked: DrainTimeout"],
    ["drained", drain("drained"), since(1_000), "3 to 2"],
    ["drained after the timeout", drain("drained"), since(9_000_000), "3 to 2"],
    ["not offered", failed({ type: "notOffered" }), {}, "3 to 2"],
    ["not offered and required", failed({ type: "notOffered" }), { drain: "Required" }, "blocked: DrainNotOffered"],
    ["the node hangs", failed({ type: "timeout" }), since(1_000), "wait: c-ingest-2 did not respond in time"],
    ["the node hangs for too long", failed({ type: "timeout" }), since(601_000), "blocked: DrainTimeout"],
    ["the node lies", failed({ type: "contradiction", message: "lie" }), since(601_000), "blocked: DrainTimeout"],
    ["not ready", unready, {}, "blocked: NodeNotReady"],
    ["missing", undefined, {}, "blocked: NodeNotReady"],
    ["not ready and skipped by annotation", unready, { isSkipped: true }, "3 to 2"],
    ["not ready and skipped by policy", unready, { drain: "Skip" }, "3 to 2"],
    ["the former node still terminates", { isTerminating: true }, {}, "wait: c-ingest-2 is being removed"],
    [
      "the desired count rises again while it drains",
      drain("draining", 2),
      { desired: 3, ...since(1_000) },
      "cancelDrain c-ingest-2",
    ],
    [
      "the desired count rises beyond the present one",
      drain("draining", 2),
      { desired: 4, ...since(1_000) },
      "cancelDrain c-ingest-2",
    ],
    ["a drain that the operator did not start", drain("draining", 2), { desired: 3 }, "none"],
    [
      "a timeout of another node does not count",
      drain("draining", 2),
      { previous: { scaleDown: { ingest: { podName: "c-ingest-3", since: 0 } } } },
      "wait: c-ingest-2 has 2 partitions left",
    ],
  ];
  for (const [title, last, change, expected] of rows) {
    it(`${title}: ${expected}`, () => {
      assert.equal(stepOf(last, change), expected);
    });
  }

  it("does not count a blocked scale-down as scaling", () => {
    const observed = { tier: tier("ingest", 3), desired: 1 };

    assert.equal(effectiveIngestTarget({ type: "wait", reason: "" }, observed), 1);
    const blocked = { type: "blocked", podName: "p", reason: "DrainTimeout", message: "" } as const;
    assert.equal(effectiveIngestTarget(blocked, observed), 3);
  });
});

describe("the rebuild of a member", () => {
  const request = { ...unready, isRebuildRequested: true };
  const dead = { ...request, component: { quorum: { type: "timeout" } } } as const;
  const decide = (observed: ObservedTier, component: "controller" | "ingest" = "controller"): string => {
    const quorum = assessQuorum({
      members: observed.members,
      replicas: observed.set?.replicas ?? 0,
      quorumCheck: "Auto",
      minReadySeconds: 10,
      now,
    });
    const claims = [claim(component, 2), claim(component, 1, { isTerminating: true })];
    const step = decideRebuild({ component, tier: observed, claims, quorum, minReadySeconds: 10, now });
    if (step.type === "rebuild") return `${step.podName} ${step.claim?.name ?? "without claim"}`;
    return step.type === "none" ? "none" : step.message;
  };

  it("deletes the claim and the pod of a member that is down", () => {
    assert.equal(decide(voting(tier("controller", [{}, {}, dead]))), "c-controller-2 data-c-controller-2");
    assert.equal(decide(tier("ingest", [{}, {}, request]), "ingest"), "c-ingest-2 data-c-ingest-2");
  });

  it("continues after a crash between the deletion of the claim and of the pod", () => {
    assert.equal(decide(voting(tier("controller", [{}, dead, {}]))), "c-controller-1 without claim");
  });

  it("is refused if the member is ready, another one is down, or the quorum would be lost", () => {
    assert.match(decide(tier("controller", [{}, {}, { isRebuildRequested: true }])), /only a pod that is not ready/);
    assert.match(decide(tier("controller", [{}, unready, request])), /c-controller-1 is not ready either/);
    assert.match(decide(tier("controller", [undefined, {}, request])), /ordinal 0 has no pod/);
    assert.match(decide(tier("controller", [{}, request])), /1 voters would be left, and the majority is 2/);
    assert.match(decide(tier("controller", [request])), /0 voters would be left/);
    const behind = [1, 2, 3].map((id) => ({ id, incarnation: `d${id}`, caughtUp: id === 1 }));
    assert.match(decide(voting(tier("controller", [{}, {}, dead]), { voters: behind })), /1 voters would be left/);
  });

  it("is followed by the removal of the former voter and the addition of the new one", () => {
    const back = { ...unready, component: { quorum: quorumView(3, { incarnation: "fresh" }) } };
    const { step } = decideStep(stepInput({ controller: voting(tier("controller", [{}, {}, back])) }));

    assert.deepEqual(step, {
      type: "controllers",
      step: { type: "removeVoter", leader: "c-controller-0", voter: { id: 3, incarnation: "d3" }, reason: "DiskLost" },
    });
  });
});

describe("the plan", () => {
  const planOf = (change: Parameters<typeof stepInput>[0]): readonly string[] =>
    decideStep(stepInput(change)).plan.map(
      ({ step, target, waitsFor }) => `${step} ${target}${waitsFor === "" ? "" : ` <- ${waitsFor}`}`,
    );

  it("is empty for a cluster that needs nothing", () => {
    assert.deepEqual(planOf({}), []);
  });

  it("lists restarts in their order, each with what it waits for", () => {
    const controller = voting(tier("controller", [outdated, outdated, outdated]), { leaderId: 3, voters: 3 });

    assert.deepEqual(planOf({ controller, ingest: tier("ingest", [outdated]) }), [
      "RestartPod c-controller-1",
      "RestartPod c-controller-0 <- c-controller-1",
      "RestartPod c-controller-2 <- c-controller-0",
      "RestartPod c-ingest-0 <- TierOrder: 3 controllers are outdated",
    ]);
  });

  it("names the closed gate of the first restart", () => {
    assert.deepEqual(planOf({ controller: tier("controller", [outdated, {}, unready]) }), [
      "RestartPod c-controller-0 <- NewPodNotReady: c-controller-2 is not ready",
    ]);
  });

  it("begins with the step that is performed", () => {
    const change = { controller: tier("controller", [outdated, {}, unready]), desired: { controller: 5, ingest: 4 } };

    assert.deepEqual(planOf(change), [
      "ScaleUp 3 to 4",
      "ScaleUp 3 to 5 <- c-controller-2 is not ready",
      "RestartPod c-controller-0 <- Scaling: controller scales from 3 to 5",
    ]);
  });

  it("lets scaling wait for a pod that has restarted", () => {
    const change = {
      ingest: tier("ingest", [{}, {}, unready]),
      desired: { controller: 5 },
      previous: { lastRestart: { component: "ingest", podName: "c-ingest-2", at: now - 5_000 } } as const,
    };

    assert.deepEqual(planOf(change), ["ScaleUp 3 to 4 <- c-ingest-2 has restarted and is not ready"]);
  });

  it("lets the removal of a controller wait for an ingest node that is starting, for a while", () => {
    const removal = (createdAt: number): readonly string[] =>
      planOf({
        controller: voting(tier("controller", [{}, {}, {}, {}, {}]), { voters: 4 }),
        ingest: tier("ingest", [{}, {}, { ...unready, createdAt }]),
        desired: { controller: 3 },
      });

    assert.deepEqual(removal(now - 5_000), ["ScaleDown 5 to 4 <- c-ingest-2 is not ready"]);
    assert.deepEqual(removal(now - 3_600_000), ["ScaleDown 5 to 4"]);
  });

  it("is limited", () => {
    assert.equal(
      planOf({
        ingest: tier(
          "ingest",
          Array.from({ length: 100 }, () => outdated),
        ),
      }).length,
      20,
    );
  });
});
