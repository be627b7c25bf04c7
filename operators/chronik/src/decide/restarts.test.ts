import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ObservedMember, ObservedTier } from "../observe/observed.ts";
import { claim, now, outdated, quorumView, stepInput, tier, unready, voting } from "../testing/observed-clusters.ts";
import { controllerGates, gateNames, ingestGates } from "./gates.ts";
import { decideStep, type StepDecision } from "./plan.ts";

type Change = Parameters<typeof stepInput>[0];

/** Decides a step, and describes it: the restarted pod and the method, or the closed gates of both tiers. */
function outcome(change: Change): string {
  return describeOutcome(decideStep(stepInput(change)));
}

function describeOutcome({ step, rollouts }: StepDecision): string {
  if (step.type === "restart") return `${step.restart.method} ${step.restart.podName}`;
  if (step.type !== "none") return step.type;
  return rollouts.map(({ closed }) => closed?.gate ?? "-").join(" ");
}

const safe = { component: { restartCheck: { type: "response", value: { safe: true, reason: "" } } } } as const;
const allOutdated = (count: number): Partial<ObservedMember>[] => Array.from({ length: count }, () => outdated);
const controllers = (...changes: Partial<ObservedMember>[]): ObservedTier => tier("controller", changes);
const outdatedIngest = (): ObservedTier =>
  tier(
    "ingest",
    allOutdated(3).map((one) => ({ ...one, ...safe })),
  );

describe("restarts of controllers", () => {
  const rows: readonly (readonly [string, Change, string])[] = [
    ["nothing is outdated", {}, "- -"],
    [
      "all are outdated: the highest ordinal first",
      { controller: tier("controller", allOutdated(3)) },
      "evict c-controller-2",
    ],
    [
      "the leader last",
      { controller: voting(controllers({}, outdated, outdated), { leaderId: 3, voters: 3 }) },
      "evict c-controller-1",
    ],
    [
      "only the leader is left",
      { controller: voting(controllers({}, {}, outdated), { leaderId: 3, voters: 3 }) },
      "evict c-controller-2",
    ],
    [
      "an outdated pod that is not ready is replaced first",
      { controller: controllers({ ...outdated, ...unready }, outdated, outdated) },
      "delete c-controller-0",
    ],
    [
      "a pod that has restarted is outdated again before it is ready: another one would be a second disruption",
      {
        controller: tier("controller", [
          { ...outdated, readySince: undefined, unreadySince: now - 4_000, isStarted: true },
          ...allOutdated(4),
        ]),
      },
      "evict c-controller-0",
    ],
    [
      "a ready controller whose response is invalid: it is not counted as a voter",
      {
        controller: voting(
          controllers(
            { ...outdated, component: { quorum: { type: "malformed", message: "text" } } },
            outdated,
            outdated,
          ),
          { leaderId: 3, voters: 3 },
        ),
      },
      "evict c-controller-0",
    ],
    ["an updated pod is not ready", { controller: controllers(outdated, outdated, unready) }, "NewPodNotReady -"],
    ["a pod is missing", { controller: tier("controller", [outdated, outdated, undefined]) }, "NewPodNotReady -"],
    [
      "an updated pod is ready for 9 s of 10 s",
      { controller: controllers(outdated, {}, { readySince: now - 9_000 }) },
      "NewPodNotReady -",
    ],
    [
      "two of three are ready, one is outdated and not ready",
      { controller: controllers({}, {}, { ...outdated, ...unready }) },
      "delete c-controller-2",
    ],
    [
      "five controllers, one lost",
      { controller: tier("controller", [outdated, {}, {}, {}, { ...unready, revision: "new" }]) },
      "NewPodNotReady -",
    ],
    [
      "a controller lost its disk",
      { controller: voting(controllers(outdated, {}, { component: { quorum: quorumView(3, { incarnation: "x" }) } })) },
      "controllers",
    ],
    ["a controller terminates", { controller: controllers(outdated, {}, { isTerminating: true }) }, "Terminating -"],
    [
      "a controller terminates and another one is broken",
      { controller: controllers({ ...outdated, ...unready }, {}, { isTerminating: true }) },
      "Terminating -",
    ],
    [
      "an ingest node terminates",
      { controller: controllers(outdated, {}, {}), ingest: tier("ingest", [{}, {}, { isTerminating: true }]) },
      "Terminating -",
    ],
    ["the status is not observed", { controller: tier("controller", allOutdated(3), { generation: 3 }) }, "Observed -"],
    [
      "the StatefulSet is being recreated",
      { controller: tier("controller", allOutdated(3), { isTerminating: true }) },
      "Observed -",
    ],
    [
      "the other StatefulSet is being recreated",
      { controller: controllers(outdated, {}, {}), ingest: { set: undefined, members: [] } },
      "Observed -",
    ],
    ["the strategy is Manual", { controller: controllers(outdated, {}, {}), policy: { type: "Manual" } }, "Manual -"],
    [
      "the strategy is Manual and a pod is broken",
      { controller: controllers({ ...outdated, ...unready }, {}, {}), policy: { type: "Manual" } },
      "Manual -",
    ],
    [
      "the last restart was 9 s ago",
      {
        controller: controllers(outdated, {}, {}),
        previous: { lastRestart: { component: "controller", podName: "c-controller-2", at: now - 9_000 } },
      },
      "Delay -",
    ],
    [
      "the last restart was 10 s ago",
      {
        controller: controllers(outdated, {}, {}),
        previous: { lastRestart: { component: "controller", podName: "c-controller-2", at: now - 10_000 } },
      },
      "evict c-controller-0",
    ],
    [
      "the last restarted ingest node is not ready",
      {
        controller: controllers(outdated, {}, {}),
        ingest: tier("ingest", [{}, {}, unready]),
        previous: { lastRestart: { component: "ingest", podName: "c-ingest-2", at: now - 60_000 } },
      },
      "NewPodNotReady -",
    ],
    [
      "an ingest node of an older revision is starting",
      {
        controller: controllers(outdated, {}, {}),
        ingest: tier("ingest", [
          {},
          {},
          { ...outdated, ...unready, unreadySince: now - 5_000, createdAt: now - 5_000 },
        ]),
      },
      "NewPodNotReady TierOrder",
    ],
    [
      "the last restarted ingest node exceeds the deadline",
      {
        controller: controllers(outdated, {}, {}),
        ingest: tier("ingest", [{}, {}, unready]),
        previous: { lastRestart: { component: "ingest", podName: "c-ingest-2", at: now - 601_000 } },
      },
      "evict c-controller-0",
    ],
    [
      "the controllers scale",
      { controller: controllers(outdated, {}, unready), desired: { controller: 5 } },
      "Scaling -",
    ],
    [
      "a removed controller still runs",
      { controller: { ...controllers(outdated, {}, {}, {}), set: tier("controller", 3).set } },
      "Scaling -",
    ],
    [
      "the controllers scale and one is broken",
      { controller: controllers({}, {}, { ...outdated, ...unready }), desired: { controller: 5 } },
      "delete c-controller-2",
    ],
    [
      "another cluster rolls",
      { controller: controllers(outdated, {}, {}), permission: { isAllowed: false, waitsFor: "a/b", message: "wait" } },
      "RolloutLimit -",
    ],
    [
      "another cluster rolls and a pod is broken",
      {
        controller: controllers({ ...outdated, ...unready }, {}, {}),
        permission: { isAllowed: false, waitsFor: "a/b", message: "wait" },
      },
      "delete c-controller-0",
    ],
    ["a single controller", { controller: controllers(outdated) }, "evict c-controller-0"],
    [
      "the endpoint is required and absent",
      { controller: controllers(outdated, {}, {}), policy: { quorumCheck: "Endpoint" } },
      "Quorum -",
    ],
    [
      "the controller is voting, not ready and needed",
      {
        controller: voting(
          controllers(
            {},
            { ...outdated, ...unready },
            { ...unready, unreadySince: now - 100_000, component: { quorum: { type: "timeout" } } },
          ),
        ),
      },
      "Quorum -",
    ],
  ];
  for (const [title, change, expected] of rows) {
    it(`${title}: ${expected}`, () => {
      assert.equal(outcome(change), expected);
    });
  }

  it("reports the risk of a quorum that cannot survive", () => {
    const { step } = decideStep(stepInput({ controller: controllers(outdated, {}) }));

    assert.ok(step.type === "restart" && step.restart.isQuorumRisk);
  });
});

describe("a running member that has just lost its readiness", () => {
  const lost = (ms: number): Partial<ObservedMember> => ({ ...outdated, ...unready, unreadySince: now - ms });

  it("does not count as broken for half a minute", () => {
    const controller = (ms: number): ObservedTier => controllers(lost(ms), unready, {});

    assert.equal(outcome({ controller: controller(29_000) }), "NewPodNotReady -", "another controller restarts");
    assert.equal(outcome({ controller: controller(30_000) }), "delete c-controller-0");
    const ingest = (ms: number): ObservedTier => tier("ingest", [{}, {}, lost(ms)]);
    const restarting = controllers(outdated, outdated, { isTerminating: true, readySince: undefined });
    assert.equal(outcome({ controller: restarting, ingest: ingest(29_000) }), "Terminating TierOrder");
    assert.equal(outcome({ controller: restarting, ingest: ingest(30_000) }), "delete c-ingest-2");
  });

  it("counts as broken at once if it does not run", () => {
    const stopped = { ...lost(1_000), isStarted: false };

    assert.equal(outcome({ controller: controllers({}, {}, stopped) }), "delete c-controller-2");
  });

  it("is kept for a minute while no leader is known, even if it does not respond in time", () => {
    const silent = (ms: number): Partial<ObservedMember> => ({
      ...lost(ms),
      component: { quorum: { type: "timeout" } },
    });
    const restarted = { ...unready, unreadySince: now - 120_000, component: { quorum: { type: "timeout" } } } as const;
    const decide = (ms: number): string =>
      outcome({ controller: controllers(silent(ms), restarted, { component: { quorum: { type: "timeout" } } }) });

    assert.equal(decide(59_000), "Quorum -");
    assert.equal(decide(60_000), "delete c-controller-0");
  });
});

describe("a controller that responds without being ready", () => {
  const starting = (ms: number): Partial<ObservedMember> => ({
    ...unready,
    unreadySince: now - ms,
    component: { quorum: { type: "timeout" } },
  });
  const waiting = { ...outdated, ...unready, unreadySince: now - 60_000 };
  const view = { leaderId: undefined, voters: 3 };

  it("is kept for a minute while no leader is known", () => {
    const fresh = { ...outdated, ...unready, unreadySince: now - 59_000 };

    assert.equal(outcome({ controller: voting(controllers(fresh, {}, {}), view) }), "Quorum -");
    assert.equal(
      outcome({ controller: voting(controllers(fresh, {}, {})) }),
      "delete c-controller-0",
      "a leader is known",
    );
  });

  it("waits for new controllers that are starting, for at most a minute", () => {
    const controller = (ms: number): ObservedTier => voting(controllers(waiting, starting(ms), starting(ms)), view);

    assert.equal(outcome({ controller: controller(59_000) }), "NewPodNotReady -");
    assert.equal(outcome({ controller: controller(60_000) }), "delete c-controller-0");
  });

  it("is replaced if no new controller is starting", () => {
    assert.equal(
      outcome({ controller: voting(controllers(waiting, waiting, waiting), view) }),
      "delete c-controller-2",
    );
  });

  it("is replaced after one that does not respond", () => {
    const silent = { ...waiting, component: { quorum: { type: "timeout" } } } as const;

    assert.equal(outcome({ controller: voting(controllers(silent, waiting, waiting), view) }), "delete c-controller-0");
  });
});

describe("restarts of ingest nodes", () => {
  const unsafe = {
    component: { restartCheck: { type: "response", value: { safe: false, reason: "2 partitions" } } },
  } as const;
  const rows: readonly (readonly [string, Change, string])[] = [
    ["all are outdated", { ingest: outdatedIngest() }, "evict c-ingest-2"],
    [
      "controllers are outdated, too",
      { controller: controllers(outdated, {}, {}), ingest: outdatedIngest() },
      "evict c-controller-0",
    ],
    [
      "controllers wait",
      { controller: controllers(outdated, outdated, unready), ingest: outdatedIngest() },
      "NewPodNotReady TierOrder",
    ],
    [
      "controllers are up to date and one is down",
      { controller: controllers({}, {}, unready), ingest: outdatedIngest() },
      "evict c-ingest-2",
    ],
    [
      "the controllers lost their quorum",
      { controller: controllers({}, unready, unready), ingest: outdatedIngest() },
      "- TierOrder",
    ],
    [
      "a broken ingest node while controllers are outdated and wait",
      {
        controller: controllers(outdated, outdated, unready),
        ingest: tier("ingest", [{}, {}, { ...outdated, ...unready }]),
      },
      "delete c-ingest-2",
    ],
    ["an ingest node is down", { ingest: tier("ingest", [{ ...outdated, ...safe }, {}, unready]) }, "- NewPodNotReady"],
    [
      "a new controller is starting",
      {
        controller: tier("controller", [{}, {}, { ...unready, createdAt: now - 600_000 }]),
        ingest: tier("ingest", [{ ...outdated, ...safe }, {}, {}]),
      },
      "- NewPodNotReady",
    ],
    [
      "the restarted controller does not exist yet",
      {
        controller: tier("controller", [{}, {}, undefined]),
        ingest: tier("ingest", [{ ...outdated, ...safe }, {}, {}]),
        previous: { lastRestart: { component: "controller", podName: "c-controller-2", at: now - 60_000 } },
      },
      "- NewPodNotReady",
    ],
    [
      "a new controller is down for longer than the deadline",
      {
        controller: tier("controller", [{}, {}, { ...unready, createdAt: now - 601_000 }]),
        ingest: tier("ingest", [{ ...outdated, ...safe }, {}, {}]),
      },
      "evict c-ingest-0",
    ],
    [
      "one of two allowed ingest nodes is down",
      { ingest: tier("ingest", [{ ...outdated, ...safe }, {}, unready]), policy: { maxUnavailable: 2 } },
      "evict c-ingest-0",
    ],
    [
      "two of two allowed ingest nodes are down",
      { ingest: tier("ingest", [{ ...outdated, ...safe }, unready, unready]), policy: { maxUnavailable: 2 } },
      "- NewPodNotReady",
    ],
    [
      "an outdated ingest node has just become ready: another one would be a second disruption",
      {
        ingest: tier("ingest", [
          { ...outdated, ...safe },
          { ...outdated, ...safe, readySince: now - 1_000 },
          { ...outdated, ...safe },
        ]),
      },
      "evict c-ingest-1",
    ],
    [
      "two outdated ingest nodes have just become ready",
      {
        ingest: tier("ingest", [
          { ...outdated, ...safe, readySince: now - 1_000 },
          { ...outdated, ...safe, readySince: now - 1_000 },
          { ...outdated, ...safe },
        ]),
      },
      "- Availability",
    ],
    [
      "the node reports that a restart is unsafe",
      { ingest: tier("ingest", [{ ...outdated, ...unsafe }, {}, {}]) },
      "- ComponentCheck",
    ],
    [
      "the check is skipped for this pod",
      { ingest: tier("ingest", [{ ...outdated, ...unsafe }, {}, {}]), requests: { skipComponentCheck: "c-ingest-0" } },
      "evict c-ingest-0",
    ],
    [
      "the check is skipped for another pod",
      { ingest: tier("ingest", [{ ...outdated, ...unsafe }, {}, {}]), requests: { skipComponentCheck: "c-ingest-1" } },
      "- ComponentCheck",
    ],
    [
      "the check is not offered",
      { ingest: tier("ingest", [{ ...outdated, component: { restartCheck: { type: "notOffered" } } }, {}, {}]) },
      "evict c-ingest-0",
    ],
    [
      "the check times out",
      { ingest: tier("ingest", [{ ...outdated, component: { restartCheck: { type: "timeout" } } }, {}, {}]) },
      "- ComponentCheck",
    ],
    ["the check was not called", { ingest: tier("ingest", [outdated, {}, {}]) }, "- ComponentCheck"],
    [
      "the node that restarted last does not respond",
      {
        ingest: tier("ingest", [{ ...outdated, ...safe }, {}, { component: { restartCheck: { type: "timeout" } } }]),
        previous: { lastRestart: { component: "ingest", podName: "c-ingest-2", at: now - 60_000 } },
      },
      "- ComponentCheck",
    ],
    [
      "a scale-down is blocked",
      {
        ingest: tier("ingest", [{ ...outdated, ...safe }, {}, unready]),
        policy: { maxUnavailable: 2 },
        desired: { ingest: 2 },
      },
      "evict c-ingest-0",
    ],
  ];
  for (const [title, change, expected] of rows) {
    it(`${title}: ${expected}`, () => {
      assert.equal(outcome(change), expected);
    });
  }

  it("reports that the check was skipped", () => {
    const change = {
      ingest: tier("ingest", [{ ...outdated, ...unsafe }, {}, {}]),
      requests: { skipComponentCheck: "c-ingest-0" },
    };
    const { step } = decideStep(stepInput(change));

    assert.ok(step.type === "restart" && step.restart.isCheckSkipped);
  });
});

describe("reasons to restart", () => {
  const reasonsOf = (change: Partial<ObservedMember>, claims = [claim("controller", 0)]): readonly string[] => {
    const { step } = decideStep(stepInput({ controller: controllers(change, {}, {}), claims }));
    return step.type === "restart" ? step.restart.reasons : [];
  };

  it("distinguishes configuration, Secrets and the rest of the template", () => {
    assert.deepEqual(reasonsOf(outdated), ["TemplateChanged"]);
    assert.deepEqual(reasonsOf({ ...outdated, configHash: "x" }), ["ConfigChanged"]);
    assert.deepEqual(reasonsOf({ ...outdated, configHash: "x", secretHash: "x" }), ["ConfigChanged", "SecretChanged"]);
    assert.deepEqual(reasonsOf({ isRestartRequested: true }), ["ManualRestart"]);
  });

  it("reports a pod that cannot start as stuck after a minute", () => {
    const stuckFor = (ms: number): readonly string[] =>
      reasonsOf({ ...outdated, ...unready, stuck: { reason: "ImagePullBackOff", detail: undefined, since: now - ms } });

    assert.deepEqual(stuckFor(61_000), ["TemplateChanged", "StuckOutdated"]);
    assert.deepEqual(stuckFor(60_000), ["TemplateChanged"]);
  });

  it("restarts a pod whose file system does not grow online, and only once", () => {
    const pending = (ms: number): ReturnType<typeof claim>[] => [
      claim("controller", 0, { fileSystemResizeSince: now - ms }),
    ];

    assert.deepEqual(reasonsOf({}, pending(121_000)), ["FileSystemResize"]);
    assert.deepEqual(reasonsOf({}, pending(120_000)), []);
    assert.deepEqual(
      reasonsOf({ createdAt: now - 100_000 }, pending(121_000)),
      [],
      "the pod was created after the request",
    );
  });
});

describe("the progress deadline", () => {
  it("names updated pods that did not become ready in time", () => {
    const late = { ...unready, unreadySince: now - 600_000 };
    const decide = (change: Partial<ObservedMember>): unknown =>
      decideStep(stepInput({ controller: controllers({}, {}, change) })).rollouts[0]?.progress;

    assert.deepEqual(decide(late), { latePods: ["c-controller-2"], deadlineAt: undefined });
    assert.deepEqual(decide({ ...late, unreadySince: now - 599_000 }), { latePods: [], deadlineAt: now + 1_000 });
    assert.deepEqual(decide({ ...late, ...outdated }), { latePods: [], deadlineAt: undefined });
  });
});

describe("the canary", () => {
  const canary = { controller: 0, ingest: 1, bakeSeconds: 600, maxRestarts: 0 };
  const baked = (change: Partial<ObservedMember>): ObservedTier =>
    tier("ingest", [
      { ...outdated, ...safe },
      { ...outdated, ...safe },
      { ...safe, ...change },
    ]);
  const decide = (change: Partial<ObservedMember>, more: Change = {}): string =>
    outcome({ ingest: baked(change), policy: { canary }, ...more });

  it("restarts the first pod without waiting", () => {
    assert.equal(outcome({ ingest: outdatedIngest(), policy: { canary } }), "evict c-ingest-2");
  });

  it("observes the canary pod for the bake time", () => {
    assert.equal(decide({ readySince: now - 599_000 }), "- Canary");
    assert.equal(decide({ readySince: now - 600_000 }), "evict c-ingest-1");
    assert.equal(
      decideStep(stepInput({ ingest: baked({ readySince: now - 599_000 }), policy: { canary } })).reconsiderAt,
      now + 1_000,
    );
  });

  it("continues when the user approves the revision", () => {
    assert.equal(decide({ readySince: now - 60_000 }, { requests: { approvedCanary: "new" } }), "evict c-ingest-1");
    assert.equal(decide({ readySince: now - 60_000 }, { requests: { approvedCanary: "old" } }), "- Canary");
  });

  it("fails when the canary pod restarts or does not become ready", () => {
    assert.equal(decide({ restarts: 1 }), "rollBackCanary");
    assert.equal(decide({ ...unready, unreadySince: now - 601_000 }), "rollBackCanary");
  });

  it("stays failed after the failure was recorded", () => {
    const recorded = { component: "ingest", revision: "new", failedRevision: "new" } as const;

    assert.equal(decide({}, { previous: { canary: recorded } }), "- Canary");
  });

  it("has passed when more pods than the canary are updated", () => {
    const ingest = tier("ingest", [
      { ...outdated, ...safe },
      { ...safe, readySince: now - 20_000 },
      { ...safe, readySince: now - 20_000 },
    ]);

    assert.equal(outcome({ ingest, policy: { canary } }), "evict c-ingest-0");
  });
});

describe("the lists of gates", () => {
  it("have a name each, in the documented order", () => {
    for (const gates of [controllerGates, ingestGates]) {
      const positions = gates.map(({ name }) => gateNames.indexOf(name));
      assert.deepEqual(
        positions,
        positions.toSorted((a, b) => a - b),
      );
    }
  });
});
