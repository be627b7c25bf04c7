import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { ComponentResult, QuorumView, RestartCheckView, Voter } from "../component/contract.ts";
import type { ObservedMember } from "../observe/observed.ts";
import { member, now, stepInput, tier } from "../testing/observed-clusters.ts";
import { decideStep, describeGate, type Step, type StepInput } from "./plan.ts";
import { majorityOf, type QuorumCheck } from "./quorum.ts";

// Random states of a cluster. The test knows the truth about the quorum: which incarnations vote, and which of them are caught up. The operator only
// sees responses, some of which are missing, garbage or lies.

/** A random member of a StatefulSet. */
interface RandomMember {
  readonly isMissing: boolean;
  /** Seconds since the pod became ready; negative if it is not ready. */
  readonly readySeconds: number;
  readonly isTerminating: boolean;
  readonly isOutdated: boolean;
  readonly isRebuildRequested: boolean;
  /** True if the disk is not the one that joined the quorum. */
  readonly lostDisk: boolean;
  readonly isCaughtUp: boolean;
  readonly response: "truth" | "lie" | "timeout" | "malformed" | "contradiction" | "notOffered" | "none";
  /** Voters that a liar claims. */
  readonly claimedVoters: number;
  readonly claimedLeader: number;
}

const often = (chance: number): fc.Arbitrary<boolean> => fc.nat({ max: 99 }).map((roll) => roll < chance);

const randomMember: fc.Arbitrary<RandomMember> = fc.record({
  isMissing: often(5),
  readySeconds: fc.oneof(
    { weight: 8, arbitrary: fc.constant(100) },
    { weight: 2, arbitrary: fc.integer({ min: -5, max: 20 }) },
  ),
  isTerminating: often(3),
  isOutdated: often(40),
  isRebuildRequested: often(5),
  lostDisk: often(10),
  isCaughtUp: often(92),
  response: fc.oneof(
    { weight: 20, arbitrary: fc.constant("truth" as const) },
    { weight: 2, arbitrary: fc.constant("lie" as const) },
    { weight: 1, arbitrary: fc.constantFrom("timeout", "malformed", "contradiction", "notOffered", "none") },
  ),
  claimedVoters: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 7 })),
  claimedLeader: fc.integer({ min: 1, max: 7 }),
});

interface RandomCluster {
  readonly controllers: readonly RandomMember[];
  readonly ingest: readonly RandomMember[];
  readonly leader: number;
  /** Voters whose pod does not exist. */
  readonly deadVoters: number;
  /** Controllers at the end that are not voters yet. */
  readonly newcomers: number;
  readonly desiredControllers: number;
  readonly desiredIngest: number;
  readonly maxUnavailable: number;
  readonly quorumCheck: QuorumCheck;
  readonly hasEndpoint: boolean;
  readonly secondsSinceRestart: number | undefined;
}

const randomCluster: fc.Arbitrary<RandomCluster> = fc
  .record({
    controllers: fc.array(randomMember, { minLength: 1, maxLength: 7 }),
    ingest: fc.array(randomMember, { minLength: 1, maxLength: 5 }),
    leader: fc.nat({ max: 6 }),
    deadVoters: fc.oneof(
      { weight: 8, arbitrary: fc.constant(0) },
      { weight: 1, arbitrary: fc.integer({ min: 1, max: 2 }) },
    ),
    newcomers: fc.oneof({ weight: 8, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constant(1) }),
    scaleControllers: fc.oneof(
      { weight: 3, arbitrary: fc.constant(0) },
      { weight: 1, arbitrary: fc.integer({ min: -2, max: 2 }) },
    ),
    scaleIngest: fc.oneof(
      { weight: 3, arbitrary: fc.constant(0) },
      { weight: 1, arbitrary: fc.integer({ min: -2, max: 2 }) },
    ),
    maxUnavailable: fc.integer({ min: 1, max: 2 }),
    quorumCheck: fc.constantFrom<QuorumCheck>("Auto", "Auto", "Endpoint", "Readiness"),
    hasEndpoint: often(85),
    secondsSinceRestart: fc.option(fc.nat({ max: 700 }), { nil: undefined }),
  })
  .map(({ scaleControllers, scaleIngest, leader, ...rest }) => ({
    ...rest,
    leader: leader % rest.controllers.length,
    desiredControllers: Math.max(1, rest.controllers.length + scaleControllers),
    desiredIngest: Math.max(1, rest.ingest.length + scaleIngest),
  }));

/** The voters as they are. */
function votersOf({ controllers, deadVoters, newcomers }: RandomCluster): readonly Voter[] {
  const joined = Math.max(1, controllers.length - newcomers);
  return Array.from({ length: joined + deadVoters }, (_none, index) => ({
    id: index < joined ? index + 1 : controllers.length + 1 + index - joined,
    incarnation: `d${index + 1}`,
    caughtUp: index < joined && controllers[index]?.isCaughtUp === true,
  }));
}

function quorumResponse(
  cluster: RandomCluster,
  ordinal: number,
  random: RandomMember,
): ComponentResult<QuorumView> | undefined {
  const incarnation = random.lostDisk ? `lost${ordinal + 1}` : `d${ordinal + 1}`;
  const truth: QuorumView = {
    nodeId: ordinal + 1,
    incarnation,
    leaderId: cluster.leader + 1,
    term: 5,
    voters: votersOf(cluster),
  };
  // A leader that lies about its followers cannot be detected, and a member that lies about its own disk neither.
  const response = random.response === "lie" && ordinal === cluster.leader ? "truth" : random.response;
  if (!cluster.hasEndpoint) return { type: "notOffered" };
  switch (response) {
    case "none":
      return undefined;
    case "truth":
      return { type: "response", value: truth };
    case "lie": {
      const isAlone = random.claimedVoters === 1;
      const voters = Array.from({ length: random.claimedVoters }, (_none, index) => ({
        id: isAlone ? ordinal + 1 : index + 1,
        incarnation: isAlone ? incarnation : `d${index + 1}`,
        caughtUp: true,
      }));
      const leaderId = isAlone ? ordinal + 1 : Math.min(random.claimedLeader, random.claimedVoters);
      return { type: "response", value: { ...truth, leaderId, term: 9, voters } };
    }
    case "malformed":
    case "contradiction":
      return { type: response, message: "test" };
    default:
      return { type: response };
  }
}

function inputOf(cluster: RandomCluster): StepInput {
  const restartCheck: ComponentResult<RestartCheckView> = { type: "response", value: { safe: true, reason: "" } };
  const membersOf = (component: "controller" | "ingest"): readonly ObservedMember[] =>
    cluster[component === "controller" ? "controllers" : "ingest"].flatMap((random, ordinal) => {
      if (random.isMissing) return [];
      const { readySeconds, isTerminating, isOutdated, isRebuildRequested } = random;
      const isReady = readySeconds >= 0 && !isTerminating;
      return [
        member(component, ordinal, {
          readySince: isReady ? now - readySeconds * 1_000 : undefined,
          unreadySince: isReady ? undefined : now - 20_000,
          isTerminating,
          isRebuildRequested,
          revision: isOutdated ? "old" : "new",
          component:
            component === "controller" ? { quorum: quorumResponse(cluster, ordinal, random) } : { restartCheck },
        }),
      ];
    });
  const { secondsSinceRestart } = cluster;
  return stepInput({
    controller: { set: tier("controller", cluster.controllers.length).set, members: membersOf("controller") },
    ingest: { set: tier("ingest", cluster.ingest.length).set, members: membersOf("ingest") },
    desired: { controller: cluster.desiredControllers, ingest: cluster.desiredIngest },
    policy: { maxUnavailable: cluster.maxUnavailable, quorumCheck: cluster.quorumCheck },
    previous:
      secondsSinceRestart === undefined
        ? {}
        : {
            lastRestart: { component: "controller", podName: "c-controller-0", at: now - secondsSinceRestart * 1_000 },
          },
  });
}

/** Returns the ordinals of the controllers that really vote, are caught up and ready. */
function trueVoters(cluster: RandomCluster): ReadonlySet<number> {
  const isByReadiness = cluster.quorumCheck === "Readiness" || !cluster.hasEndpoint;
  const ordinals = cluster.controllers.flatMap((random, ordinal) => {
    const isReady = !random.isMissing && !random.isTerminating && random.readySeconds >= 10;
    const voter = votersOf(cluster).find(({ id }) => id === ordinal + 1);
    const votes = voter !== undefined && voter.caughtUp && !random.lostDisk;
    return isReady && (isByReadiness || votes) ? [ordinal] : [];
  });
  return new Set(ordinals);
}

/** Returns the name of the step in a plan. */
function nameOf(step: Step): string {
  switch (step.type) {
    case "none":
      return "none";
    case "rebuild":
      return "RebuildMember";
    case "restart":
      return "RestartPod";
    case "rollBackCanary":
      return "RollBackCanary";
    case "controllers":
    case "ingest": {
      const { step: inner } = step;
      if (inner.type === "setReplicas") return inner.to > inner.from ? "ScaleUp" : "ScaleDown";
      const names = {
        addVoter: "AddVoter",
        removeVoter: "RemoveVoter",
        transferLeader: "TransferLeader",
        startDrain: "DrainNode",
        cancelDrain: "CancelDrain",
      };
      return names[inner.type];
    }
  }
}

function check(law: (cluster: RandomCluster, input: StepInput) => void): void {
  const numRuns = process.env["HOMEOSTAT_FULL"] === undefined ? 3_000 : 100_000;
  fc.assert(
    fc.property(randomCluster, (cluster) => law(cluster, inputOf(cluster))),
    { numRuns, seed: 20_261_117 },
  );
}

describe("a step of a random cluster", () => {
  it("never takes a majority away from three or more voters", () => {
    check((cluster, input) => {
      const { step } = decideStep(input);
      const voters = trueVoters(cluster);
      const { length: replicas } = cluster.controllers;
      const isByReadiness = cluster.quorumCheck === "Readiness" || !cluster.hasEndpoint;
      const size = isByReadiness ? replicas : Math.max(replicas, votersOf(cluster).length);
      const leftWithout = (ordinal: number): number => [...voters].filter((one) => one !== ordinal).length;
      if (step.type === "restart" && step.restart.component === "controller" && size >= 3) {
        const ordinal = Number(step.restart.podName.split("-").at(-1));
        if (step.restart.method === "evict") assert.ok(leftWithout(ordinal) >= majorityOf(size), "restart");
        else assert.ok(!voters.has(ordinal), "a pod that is deleted is not a ready voter");
      }
      if (step.type === "rebuild" && step.component === "controller")
        assert.ok(leftWithout(Number(step.podName.split("-").at(-1))) >= majorityOf(size), "rebuild");
      if (step.type === "controllers" && step.step.type === "setReplicas" && step.step.to < step.step.from)
        assert.ok(leftWithout(replicas - 1) >= majorityOf(replicas - 1), "scale-down");
      if (step.type === "controllers" && step.step.type === "removeVoter") {
        const { id } = step.step.voter;
        assert.ok(leftWithout(id - 1) >= majorityOf(votersOf(cluster).length - 1), "removal of a voter");
      }
    });
  });

  it("never disrupts a pod while another one is disrupted", () => {
    check((cluster, input) => {
      const { step } = decideStep(input);
      if (step.type !== "restart") return;
      const { component, method, podName } = step.restart;
      const terminating = [...input.observed.controller.members, ...input.observed.ingest.members].filter(
        ({ isTerminating }) => isTerminating,
      );
      const own = terminating.filter(({ podName: one }) => one.includes(component)).length;
      assert.ok(own < (component === "controller" ? 1 : cluster.maxUnavailable), "pods of the tier terminate");
      if (method === "delete") return;
      const members = input.observed[component].members;
      const down = members.filter(
        (one) => one.podName !== podName && (one.readySince === undefined || now - one.readySince < 10_000),
      );
      const missing = cluster[component === "controller" ? "controllers" : "ingest"].length - members.length;
      if (component === "ingest")
        assert.ok(down.length + missing < cluster.maxUnavailable, "ingest nodes are unavailable");
      else
        assert.ok(missing === 0 && down.every(({ revision }) => revision === "old"), "a new controller is not ready");
    });
  });

  it("never restarts a ready pod while members are added or removed", () => {
    check((cluster, input) => {
      const { step, scaleDownBlock } = decideStep(input);
      if (step.type !== "restart" || step.restart.method === "delete") return;
      assert.equal(cluster.desiredControllers, cluster.controllers.length);
      if (scaleDownBlock === undefined) assert.equal(cluster.desiredIngest, cluster.ingest.length);
    });
  });

  it("changes one member at a time, and names a pod that exists", () => {
    check((cluster, input) => {
      const { step } = decideStep(input);
      const pods = [...input.observed.controller.members, ...input.observed.ingest.members];
      if (step.type === "restart" || step.type === "rebuild") {
        const { podName, uid } = step.type === "restart" ? step.restart : step;
        assert.ok(pods.some((one) => one.podName === podName && one.uid === uid && !one.isTerminating));
      }
      if (step.type === "controllers" && step.step.type === "setReplicas")
        assert.equal(Math.abs(step.step.to - step.step.from), 1);
      if (step.type === "ingest" && step.step.type === "setReplicas" && step.step.to < cluster.ingest.length)
        assert.equal(step.step.to, cluster.ingest.length - 1);
    });
  });

  it("is the first entry of the plan, or the first entry names what it waits for", () => {
    check((_cluster, input) => {
      const { step, plan, rollouts } = decideStep(input);
      const [first, ...rest] = plan;
      if (step.type === "none") {
        assert.ok(
          plan.every(({ waitsFor }) => waitsFor !== ""),
          "every entry waits",
        );
        const closed = rollouts.flatMap((one) => (one.closed === undefined ? [] : [describeGate(one.closed)]));
        for (const gate of closed)
          assert.ok(
            plan.some(({ waitsFor }) => waitsFor === gate),
            "the closed gate is in the plan",
          );
        return;
      }
      assert.equal(first?.step, nameOf(step));
      assert.equal(first?.waitsFor, "");
      assert.ok(
        rest.every(({ waitsFor }) => waitsFor !== ""),
        "all other steps wait",
      );
    });
  });

  it("reaches every kind of step", () => {
    const seen = new Set<string>();
    check((_cluster, input) => void seen.add(nameOf(decideStep(input).step)));

    for (const name of [
      "none",
      "RebuildMember",
      "RestartPod",
      "AddVoter",
      "RemoveVoter",
      "TransferLeader",
      "ScaleUp",
      "ScaleDown",
    ])
      assert.ok(seen.has(name), `${name} was never chosen`);
  });
});
