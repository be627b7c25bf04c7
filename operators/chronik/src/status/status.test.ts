import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { DeepReadonly } from "homeostat";
import { formatTime } from "@homeostat/core";
import type { ClusterStatus } from "../api/chronik-cluster.ts";
import { resolveCluster } from "../build/resolve.ts";
import { decideStep } from "../decide/plan.ts";
import { clusterWith, type SpecInput } from "../testing/clusters.ts";
import { defaultSettings } from "../testing/default-settings.ts";
import { now, stepInput, tier, voting } from "../testing/observed-clusters.ts";
import { progressOf } from "./progress.ts";
import { deriveFailure } from "./failure-status.ts";
import { counts, type DerivedStatus, deriveStatus } from "./status.ts";
import type { StatusInput } from "./status-input.ts";
import { describeStuck } from "./stuck-pods.ts";

type Observed = NonNullable<Parameters<typeof stepInput>[0]>;

interface Case extends Observed {
  readonly spec?: SpecInput;
  /** The status before the reconcile. */
  readonly status?: DeepReadonly<ClusterStatus>;
  readonly change?: Partial<StatusInput>;
}

/** Derives the status of a cluster named `c` from observed members, as a reconcile does. */
function derive({ spec = {}, status = {}, change = {}, ...given }: Case = {}): DerivedStatus {
  const input = stepInput(given);
  const observed: StatusInput["observed"] = {
    ...input.observed,
    search: { deployments: [], pods: [], slots: [], activeColor: undefined },
    nodeGroups: { controller: undefined, ingest: undefined, search: undefined },
    certificates: [],
    isBootstrapRecorded: true,
  };
  const desired = { ...input.desired, search: 0 };
  return deriveStatus({
    resolved: resolveCluster(clusterWith(spec, "c"), defaultSettings),
    generation: 1,
    now: input.now,
    operatorVersion: "1",
    previous: status,
    observed,
    progress: progressOf(observed, desired, false),
    desired,
    decision: decideStep(input),
    bootstrapped: true,
    configHash: {},
    missing: [],
    warnings: [],
    volumes: { condition: { status: true, reason: "Done" }, resizing: 0, larger: [], isRecreating: false },
    search: { slots: [], selected: "plain", switchedAt: undefined, closed: undefined },
    restart: undefined,
    refusedByBudget: undefined,
    externalAddresses: [],
    certificate: undefined,
    ...change,
  });
}

describe("the status of a cluster", () => {
  it("shows a healthy quorum as soon as the phase is Running, before minReadySeconds have passed", () => {
    const justReady = { readySince: now - 1_000 };
    const controller = voting(tier("controller", [justReady, justReady, justReady]));

    const { phase, plan } = derive({ controller, policy: { minReadySeconds: 60 } });

    assert.equal(phase.phase, "Running");
    assert.equal(plan.conditions?.QuorumHealthy?.reason, "MajorityReady");
    assert.equal(plan.conditions?.Degraded?.reason, "AsExpected");
    assert.deepEqual(plan.fields?.quorum, { voters: 3, ready: 3, leader: "c-controller-0" });
  });

  it("says why pods cannot start, at once in the condition of their component, and as Degraded after a minute", () => {
    const stuckSince = (since: number) => ({
      readySince: undefined,
      stuck: { reason: "Unschedulable", detail: "0/2 nodes are available", since },
    });
    const shown = (since: number) =>
      derive({ ingest: tier("ingest", [{}, {}, stuckSince(since)]), status: { initialized: true } }).plan.conditions;

    const early = shown(now - 1_000);
    const late = shown(now - 61_000);

    const why = "c-ingest-2 cannot be scheduled: 0/2 nodes are available";
    assert.equal(early?.IngestNodesReady?.message, `2/3 ingest nodes ready; ${why}`);
    assert.equal(early?.Degraded?.reason, "PodsNotReady");
    assert.deepEqual(late?.Degraded, { status: true, reason: "PodsStuck", message: why });
  });

  it("lists three of the pods that cannot start", () => {
    const stuck = { reason: "ImagePullBackOff", detail: undefined, since: now };
    const pods = [0, 1, 2, 3, 4].map((ordinal) => ({ podName: `p-${ordinal}`, stuck }));

    assert.equal(
      describeStuck(pods),
      "p-0: ImagePullBackOff; p-1: ImagePullBackOff; p-2: ImagePullBackOff; and 2 more",
    );
    assert.equal(describeStuck([{ podName: "p", stuck: undefined }]), "");
  });

  it("shows a rollout from the first outdated pod until all pods are ready, and none while the cluster is created", () => {
    const outdated = tier("controller", [{}, {}, { revision: "old" }]);
    const restarted = tier("controller", [{}, {}, { readySince: undefined }]);
    const startedAt = "2026-11-01T00:00:00Z";
    const initialized: DeepReadonly<ClusterStatus> = { initialized: true };
    const rolling: DeepReadonly<ClusterStatus> = { ...initialized, rollout: { startedAt } };
    const startOf = (given: Case): string | undefined => derive(given).plan.fields?.rollout?.startedAt;

    assert.equal(startOf({ controller: outdated, status: {} }), undefined);
    assert.equal(startOf({ controller: outdated, status: initialized }), formatTime(now));
    assert.equal(startOf({ controller: outdated, status: rolling }), startedAt);
    assert.equal(startOf({ controller: restarted, status: rolling }), startedAt);
    assert.equal(startOf({ status: rolling }), undefined);
  });
});

describe("the members that are being removed", () => {
  const startedAt = "2026-11-01T00:00:00Z";

  it("are known for controllers and ingest nodes at the same time, so that both time limits run", () => {
    const ingestFirst: DeepReadonly<ClusterStatus> = {
      scaleDown: [{ component: "ingest", pod: "c-ingest-2", startedAt }],
    };
    const { plan } = derive({
      controller: voting(tier("controller", 3)),
      desired: { controller: 1, ingest: 1 },
      status: ingestFirst,
    });

    assert.deepEqual(plan.fields?.scaleDown, [
      { component: "controller", pod: "c-controller-2", startedAt: formatTime(now) },
      { component: "ingest", pod: "c-ingest-2", startedAt },
    ]);
  });

  it("stay known while a drain is cancelled", () => {
    const drain = { type: "response", value: { state: "draining", partitions: 3 } } as const;
    const { plan } = derive({
      ingest: tier("ingest", [{}, {}, { component: { drain } }]),
      previous: { scaleDown: { ingest: { podName: "c-ingest-2", since: now } } },
      status: { scaleDown: [{ component: "ingest", pod: "c-ingest-2", startedAt }] },
    });

    assert.deepEqual(plan.fields?.scaleDown, [{ component: "ingest", pod: "c-ingest-2", startedAt }]);
    assert.equal(derive().plan.fields?.scaleDown, undefined);
  });
});

describe("the status of a canary", () => {
  const canary = { controller: 0, ingest: 1, bakeSeconds: 600, maxRestarts: 0 };
  const shown = (ingest: ReturnType<typeof tier>): unknown =>
    derive({ ingest, policy: { canary }, spec: { updateStrategy: { canary } } }).plan.fields?.canary;
  const old = { revision: "old" };

  it("names the revision to approve from the first outdated pod on", () => {
    assert.deepEqual(shown(tier("ingest", [old, old, old])), { component: "ingest", revision: "new" });
    assert.deepEqual(shown(tier("ingest", [old, old, { readySince: undefined }])), {
      component: "ingest",
      revision: "new",
    });
    assert.deepEqual(shown(tier("ingest", [old, old, { readySince: now - 60_000 }])), {
      component: "ingest",
      revision: "new",
      startedAt: "2027-01-15T07:59:00Z",
    });
  });

  it("is absent when no canary is observed", () => {
    assert.equal(shown(tier("ingest", [old, {}, {}])), undefined);
    assert.equal(shown(tier("ingest", 3)), undefined);
  });
});

describe("the status of a failed reconcile", () => {
  const failed = (previous: DeepReadonly<ClusterStatus>): ReturnType<typeof deriveFailure> => {
    const none = { isObserved: false, replicas: 0, ready: 0, updated: 0 };
    const progress = { controller: { ...none, desired: 3 }, ingest: { ...none, desired: 2 } };
    return deriveFailure({
      failure: { class: "Permanent", reason: "MinorityOfVolumes", message: "1 of 3 volumes", step: "bootstrap" },
      reason: "MinorityOfVolumes",
      correlationId: "1",
      isDeleted: false,
      counts: counts({ progress, desired: { controller: 3, ingest: 2, search: 0 } }),
      previous,
      now,
      generation: 1,
    });
  };

  it("fills the columns of a cluster that cannot be created", () => {
    const { fields, conditions } = failed({ phase: "Pending" });

    assert.equal(fields?.phase, "Failed");
    assert.deepEqual(fields?.summary, { controllers: "0/3", ingestNodes: "0/2", searchNodes: "0/0" });
    assert.deepEqual(conditions?.Ready, { status: false, reason: "MinorityOfVolumes", message: "1 of 3 volumes" });
  });

  it("keeps the counts and the condition Ready of a cluster whose members run", () => {
    const summary = { controllers: "3/3", ingestNodes: "2/2", searchNodes: "0/0" };
    const { fields, conditions } = failed({ phase: "Running", initialized: true, summary });

    assert.equal(fields?.phase, "Failed");
    assert.ok(!("summary" in fields));
    assert.ok(conditions !== undefined && !("Ready" in conditions));
  });
});
