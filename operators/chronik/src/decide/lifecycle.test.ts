import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ObservedClaim } from "../observe/observed.ts";
import { type BootstrapInput, decideBootstrap } from "./bootstrap.ts";
import { decideCertificate } from "./certificates.ts";
import { claim, now, previous, tier } from "../testing/observed-clusters.ts";
import { claimsAfterScaleDown, decideDeletion, type DeletionInput } from "./deletion.ts";
import { type ComponentProgress, decidePhase, isBootstrapped, type PhaseInput } from "./phase.ts";
import { type LimitedCluster, rolloutPermission } from "./rollout-limit.ts";
import { storageOrder } from "./storage.ts";

describe("the first start of a cluster", () => {
  const decide = (claims: readonly ObservedClaim[], change: Partial<BootstrapInput> = {}): string => {
    const decision = decideBootstrap({
      cluster: "c",
      controllers: 3,
      claims,
      hasStatefulSet: false,
      isBootstrapRecorded: false,
      previous: { ...previous, bootstrapped: false },
      ...change,
    });
    if (decision.type === "reuse") return `reuse ${decision.claims.length}`;
    return decision.type === "refused" ? `refused ${decision.found.length}` : decision.type;
  };
  const kept = (...ordinals: number[]): readonly ObservedClaim[] =>
    ordinals.map((ordinal) => claim("controller", ordinal, { isRetained: true, isMounted: false }));

  const rows: readonly (readonly [string, readonly ObservedClaim[], Partial<BootstrapInput>, string])[] = [
    ["no volumes", [], {}, "found"],
    ["volumes of ingest nodes only", [claim("ingest", 0)], {}, "found"],
    ["all volumes", kept(0, 1, 2), {}, "reuse 3"],
    ["a majority of the volumes", kept(0, 2), {}, "reuse 2"],
    ["a minority of the volumes", kept(1), {}, "refused 1"],
    ["fewer controllers than before", kept(0, 1, 2, 3, 4), {}, "reuse 3"],
    ["too few controllers for the former quorum", kept(0, 1, 2, 3, 4), { controllers: 1 }, "refused 1"],
    ["more controllers than before, unrecorded", kept(0, 1, 2), { controllers: 7 }, "refused 3"],
    [
      "more controllers than before, recorded",
      kept(0, 1, 2).map((one) => ({ ...one, retainedControllers: 3 })),
      { controllers: 7 },
      "reuse 3",
    ],
    ["volumes of controllers that were scaled down", [claim("controller", 3, { isRetired: true })], {}, "found"],
    [
      "a volume that is being deleted",
      kept(0, 1).map((one, index) => ({ ...one, isTerminating: index === 0 })),
      {},
      "refused 1",
    ],
    ["the StatefulSet exists", kept(0), { hasStatefulSet: true }, "found"],
    ["the ConfigMap records a quorum", kept(0), { isBootstrapRecorded: true }, "join"],
    ["the status records a quorum", [], { previous }, "join"],
  ];
  for (const [title, claims, change, expected] of rows) {
    it(`${title}: ${expected}`, () => {
      assert.equal(decide(claims, change), expected);
    });
  }

  it("names the claims and both ways out when it is refused", () => {
    const decision = decideBootstrap({
      cluster: "c",
      controllers: 3,
      claims: kept(1),
      hasStatefulSet: false,
      isBootstrapRecorded: false,
      previous: { bootstrapped: false },
    });

    assert.equal(
      decision.type === "refused" && decision.message,
      "1 of 3 volumes of the controllers are usable, and a quorum needs 2. Found: data-c-controller-1. Missing: data-c-controller-0, data-c-controller-2. Either restore the missing claims and set spec.controllers to the former count, or delete the claims that were found to start an empty cluster.",
    );
  });
});

describe("the deletion of a cluster", () => {
  const gone = { set: tier("ingest", 0).set, members: [] };
  const stopped: DeletionInput = {
    isProtected: false,
    isNamespaceTerminating: false,
    isForced: false,
    deletedAt: now - 10_000,
    timeoutSeconds: 300,
    hasAutoscalers: false,
    search: { desiredReplicas: 0, pods: 0 },
    tiers: { controller: gone, ingest: gone },
    claims: [],
    whenDeleted: "Retain",
    now,
  };
  const running: DeletionInput = {
    ...stopped,
    hasAutoscalers: true,
    search: { desiredReplicas: 2, pods: 2 },
    tiers: { controller: tier("controller", 3), ingest: tier("ingest", 3) },
    claims: [claim("controller", 0)],
  };
  const late = { deletedAt: now - 301_000 };
  const stopping = { set: tier("ingest", 0).set, members: tier("ingest", 1).members };

  const rows: readonly (readonly [string, DeletionInput, string])[] = [
    ["protected", { ...running, isProtected: true }, "blocked"],
    ["protected in a terminating namespace", { ...running, isProtected: true, isNamespaceTerminating: true }, "finish"],
    ["running", running, "deleteAutoscalers"],
    ["without autoscalers", { ...running, hasAutoscalers: false }, "stopSearch"],
    ["search nodes stop", { ...running, hasAutoscalers: false, search: { desiredReplicas: 0, pods: 1 } }, "wait"],
    ["search nodes have stopped", { ...stopped, tiers: running.tiers }, "stopMembers ingest"],
    ["ingest nodes stop", { ...stopped, tiers: { controller: tier("controller", 3), ingest: stopping } }, "wait"],
    [
      "ingest nodes have stopped",
      { ...stopped, tiers: { controller: tier("controller", 3), ingest: gone } },
      "stopMembers controller",
    ],
    [
      "the StatefulSets are gone",
      { ...stopped, tiers: { controller: { set: undefined, members: [] }, ingest: { set: undefined, members: [] } } },
      "finish",
    ],
    ["claims are retained", { ...stopped, claims: [claim("controller", 0)] }, "retainClaims data-c-controller-0"],
    ["claims are marked", { ...stopped, claims: [claim("controller", 0, { isRetained: true })] }, "finish"],
    [
      "claims are deleted",
      { ...stopped, claims: [claim("controller", 0)], whenDeleted: "Delete" },
      "deleteClaims data-c-controller-0",
    ],
    [
      "claims are being deleted",
      { ...stopped, claims: [claim("controller", 0, { isTerminating: true })], whenDeleted: "Delete" },
      "finish",
    ],
    ["forced", { ...running, isForced: true }, "retainClaims data-c-controller-0"],
    ["late", { ...running, ...late }, "retainClaims data-c-controller-0 late"],
    ["late, claims are marked", { ...running, ...late, claims: [] }, "finish late"],
    ["late, but everything has stopped", { ...stopped, ...late }, "finish"],
  ];
  for (const [title, input, expected] of rows) {
    it(`${title}: ${expected}`, () => {
      const step = decideDeletion(input);
      const claims = "claims" in step ? ` ${step.claims.map(({ name }) => name).join(",")}` : "";
      const component = step.type === "stopMembers" ? ` ${step.component}` : "";

      assert.equal(`${step.type}${component}${claims}${"isLate" in step && step.isLate ? " late" : ""}`, expected);
    });
  }
});

describe("claims after a scale-down", () => {
  const replicas = { controller: 3, ingest: 2 };
  const claims = [
    claim("controller", 3, { isMounted: false }),
    claim("controller", 4, { isMounted: false, isRetired: true }),
    claim("controller", 5),
    claim("ingest", 1, { isMounted: false }),
    claim("ingest", 2, { isMounted: false, isTerminating: true }),
  ];

  it("are retired once, or deleted, only if no pod mounts them", () => {
    assert.deepEqual(claimsAfterScaleDown(claims, replicas, "Retain"), {
      toDelete: [],
      toRetire: [{ name: "data-c-controller-3", uid: "claim-controller-3" }],
    });
    const { toDelete, toRetire } = claimsAfterScaleDown(claims, replicas, "Delete");
    assert.deepEqual(
      [toDelete.map(({ name }) => name), toRetire],
      [["data-c-controller-3", "data-c-controller-4"], []],
    );
  });
});

describe("the phase", () => {
  const complete: ComponentProgress = { isObserved: true, desired: 3, replicas: 3, ready: 3, updated: 3 };
  const input: PhaseInput = {
    isDeleted: false,
    errorClass: undefined,
    isPaused: false,
    arePrerequisitesMissing: false,
    hasWorkloads: true,
    components: { controller: complete, ingest: complete },
    isRestarting: false,
    isResizing: false,
    previous: { phase: "Running", initialized: true },
  };
  const fresh = { phase: undefined, initialized: false } as const;
  const incomplete = { components: { controller: complete, ingest: { ...complete, ready: 2 } } };

  const rows: readonly (readonly [string, Partial<PhaseInput>, string])[] = [
    ["complete", {}, "Running true"],
    ["complete for the first time", { previous: { phase: "Creating", initialized: false } }, "Running true"],
    ["deleted", { isDeleted: true, errorClass: "Permanent" }, "Deleting true"],
    ["a permanent error", { errorClass: "Permanent" }, "Failed true"],
    ["a transient error", { errorClass: "Transient" }, "Running true"],
    ["an unknown error of a new cluster", { errorClass: "Unknown", previous: fresh }, "Pending false"],
    ["paused", { isPaused: true, ...incomplete }, "Running true"],
    [
      "prerequisites missing, nothing created",
      { arePrerequisitesMissing: true, hasWorkloads: false, components: {}, previous: fresh },
      "Pending false",
    ],
    ["prerequisites missing, workloads exist", { arePrerequisitesMissing: true, previous: fresh }, "Creating false"],
    ["created, not ready", { ...incomplete, previous: fresh }, "Creating false"],
    ["nothing created yet", { hasWorkloads: false, components: {}, previous: fresh }, "Creating false"],
    ["a pod is not ready", incomplete, "Updating true"],
    ["a pod is outdated", { components: { controller: { ...complete, updated: 2 } } }, "Updating true"],
    ["a count differs", { components: { controller: { ...complete, desired: 5 } } }, "Updating true"],
    ["a surplus pod", { components: { controller: { ...complete, replicas: 4 } } }, "Updating true"],
    ["a workload is not observed", { components: { controller: { ...complete, isObserved: false } } }, "Updating true"],
    ["a pod restarts", { isRestarting: true }, "Updating true"],
    ["a volume grows", { isResizing: true }, "Updating true"],
    ["recovers from Failed", { previous: { phase: "Failed", initialized: true } }, "Running true"],
    [
      "recovers from Failed before it was complete",
      { ...incomplete, previous: { phase: "Failed", initialized: false } },
      "Creating false",
    ],
  ];
  for (const [title, change, expected] of rows) {
    it(`${title}: ${expected}`, () => {
      const { phase, initialized } = decidePhase({ ...input, ...change });

      assert.equal(`${phase} ${initialized}`, expected);
    });
  }

  it("remembers that all controllers have been ready together", () => {
    assert.ok(isBootstrapped(complete, { bootstrapped: false }));
    assert.ok(!isBootstrapped({ ...complete, ready: 2 }, { bootstrapped: false }));
    assert.ok(isBootstrapped({ ...complete, ready: 0 }, { bootstrapped: true }));
  });
});

describe("the limit on rollouts across clusters", () => {
  const cluster = (key: string, change: Partial<LimitedCluster> = {}): LimitedCluster => ({
    key,
    operatorVersion: "1",
    isCanary: false,
    isRunning: true,
    isRolling: true,
    ...change,
  });
  const allowed = (clusters: readonly LimitedCluster[], rolloutsMax = 1, isSpecChanged = false): readonly string[] =>
    clusters
      .filter(
        (self) => rolloutPermission({ self, isSpecChanged, clusters, operatorVersion: "2", rolloutsMax }).isAllowed,
      )
      .map(({ key }) => key);
  const upgraded = { operatorVersion: "2", isRolling: false };

  it("lets one canary cluster roll first, whatever the limit is", () => {
    assert.deepEqual(allowed([cluster("a/b"), cluster("a/a"), cluster("a/c")], 3), ["a/a"]);
    assert.deepEqual(allowed([cluster("a/b"), cluster("a/a"), cluster("a/c", { isCanary: true })], 3), ["a/c"]);
  });

  it("lets the limit of clusters roll after the canary cluster is Running", () => {
    const others = [cluster("b"), cluster("c"), cluster("d")];

    assert.deepEqual(allowed([cluster("a", upgraded), ...others], 2), ["a", "b", "c"]);
    assert.deepEqual(allowed([cluster("a", { ...upgraded, isRunning: false }), ...others], 2), ["a", "b"]);
  });

  it("waits for a chosen canary cluster, even if another cluster has the new version", () => {
    const canary = cluster("z", { isCanary: true });
    const upgradedCanary = { ...canary, ...upgraded };

    assert.deepEqual(allowed([cluster("a", upgraded), cluster("b"), canary], 3), ["a", "z"]);
    assert.deepEqual(allowed([cluster("a", upgraded), cluster("b"), upgradedCanary], 3), ["a", "b", "z"]);
  });

  it("keeps the place of a rollout in progress", () => {
    const clusters = [cluster("a", upgraded), cluster("b"), cluster("z", { isRunning: false })];

    assert.deepEqual(allowed(clusters), ["a", "z"]);
  });

  it("does not hold back changes of the spec, new clusters, and clusters of this version", () => {
    assert.deepEqual(allowed([cluster("a"), cluster("b")], 1, true), ["a", "b"]);
    assert.deepEqual(allowed([cluster("a"), cluster("b", { operatorVersion: undefined })]), ["a", "b"]);
  });

  it("names the cluster that is waited for", () => {
    const clusters = [cluster("a"), cluster("b")];
    const permission = rolloutPermission({
      self: cluster("b"),
      isSpecChanged: false,
      clusters,
      operatorVersion: "2",
      rolloutsMax: 1,
    });

    assert.ok(!permission.isAllowed && permission.waitsFor === "a");
  });
});

describe("the order of storage growth", () => {
  const decide = (change: Partial<Parameters<typeof storageOrder>[0]["observed"]>): ReturnType<typeof storageOrder> =>
    storageOrder({
      observed: {
        controller: tier("controller", 1),
        ingest: tier("ingest", 1),
        claims: [claim("controller", 0), claim("ingest", 0)],
        ...change,
      },
      size: "2Gi",
    });
  const grown = { request: "2Gi", capacity: "2Gi" };

  it("grows controllers before ingest nodes", () => {
    const { permissions } = decide({});

    assert.deepEqual(permissions.controller, { isAllowed: true });
    assert.deepEqual(permissions.ingest, { isAllowed: false, waitsFor: "the volumes of the controllers" });
  });

  it("waits while the other StatefulSet is being recreated", () => {
    const claims = [claim("controller", 0, grown), claim("ingest", 0)];
    const recreated = decide({ claims, controller: { set: undefined, members: [] } });
    const done = decide({ claims, controller: tier("controller", 1, { templateSize: "2Gi" }) });

    assert.deepEqual(recreated.permissions.ingest, { isAllowed: false, waitsFor: "the StatefulSet of controller" });
    assert.deepEqual(done.permissions.ingest, { isAllowed: true });
    assert.deepEqual(done.permissions.controller, { isAllowed: false, waitsFor: undefined });
  });

  it("leaves claims alone that a user has grown beyond the spec", () => {
    const order = decide({
      claims: [claim("controller", 0, { request: "3Gi", capacity: "3Gi" }), claim("ingest", 0, grown)],
    });

    assert.deepEqual([order.larger, order.claims], [["data-c-controller-0"], ["data-c-ingest-0"]]);
  });

  it("counts claims whose volume has not grown yet", () => {
    const claims = [
      claim("controller", 0, { request: "2Gi" }),
      claim("controller", 1, { ...grown, isResizing: true }),
      claim("controller", 2, { ...grown, fileSystemResizeSince: now }),
      claim("ingest", 0, grown),
      claim("ingest", 1, { request: "2Gi", capacity: undefined }),
    ];

    assert.equal(decide({ claims }).resizing, 3);
  });
});

describe("certificates", () => {
  const day = 86_400_000;
  const decide = (lifetimeDays: number, ageDays: number): string => {
    const notBefore = now - ageDays * day;
    const { status, reason } = decideCertificate(
      { secret: "tls", notBefore, notAfter: notBefore + lifetimeDays * day },
      now,
    );
    return `${status} ${reason}`;
  };

  it("warns 30 days before the expiry", () => {
    assert.equal(decide(365, 334), "True Valid");
    assert.equal(decide(365, 335), "True ExpiresSoon");
    assert.equal(decide(365, 365), "False Expired");
    assert.equal(decide(365, -1), "False NotYetValid");
  });

  it("warns in the last third of a short lifetime", () => {
    assert.equal(decide(3, 1.9), "True Valid");
    assert.equal(decide(3, 2), "True ExpiresSoon");
  });

  it("reports when the decision changes", () => {
    const certificate = { secret: "tls", notBefore: now, notAfter: now + 90 * day };

    assert.equal(decideCertificate(certificate, now).changesAt, now + 60 * day);
    assert.equal(decideCertificate(certificate, now + 61 * day).changesAt, certificate.notAfter);
    assert.equal(decideCertificate(undefined, now).reason, "Unreadable");
  });
});
