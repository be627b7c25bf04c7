import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { formatTime } from "@homeostat/core";
import type { Deployment } from "@homeostat/kubernetes/apps/v1";
import type { ContainerState, PersistentVolumeClaim, Pod } from "@homeostat/kubernetes/core/v1";
import { reasons } from "../api/status.ts";
import { deploymentProblem, podProblem } from "../observe/pod-problems.ts";
import { componentState, type ObservedComponent } from "./component.ts";
import { type AppliedOutcome, deriveStatus, tenantPhase } from "./status.ts";

const now = Date.UTC(2026, 0, 1, 1);

const running: ObservedComponent = {
  title: "Redis",
  exists: true,
  desired: 2,
  ready: 2,
  updated: 2,
  pods: 2,
  isComplete: true,
  previousPhase: undefined,
  blocked: undefined,
  waitsFor: undefined,
  refused: undefined,
};

const obstacle = { reason: "ImagePull", message: "no such image" } as const;

describe("the phase of a component", () => {
  const rows: readonly (readonly [string, Partial<ObservedComponent>, string])[] = [
    ["missing", { exists: false, ready: 0 }, "Pending Provisioning: Redis is being provisioned"],
    [
      "missing while it waits for a Secret",
      { exists: false, waitsFor: { reason: "SecretNotFound", message: "no Secret" } },
      "Pending SecretNotFound: no Secret",
    ],
    ["hibernated", { desired: 0, ready: 0, pods: 0 }, "Hibernated Hibernated: Redis is hibernated"],
    ["hibernating", { desired: 0, ready: 0, pods: 1 }, "Provisioning Provisioning: Redis is stopping"],
    ["complete", {}, "Running Running: Redis is running"],
    ["being updated", { isComplete: false, updated: 1 }, "Running Running: Redis is running, update in progress (1/2)"],
    [
      "blocked and running",
      { blocked: obstacle, isComplete: false },
      "Running Running: Redis is running, update in progress (2/2)",
    ],
    ["blocked", { blocked: obstacle, ready: 1, previousPhase: "Running" }, "Failed ImagePull: no such image"],
    ["new", { ready: 0, previousPhase: "Pending" }, "Provisioning Provisioning: Redis is being provisioned"],
    [
      "new and waiting",
      { ready: 0, waitsFor: { reason: "StorageNotBound", message: "no volume" } },
      "Provisioning StorageNotBound: Redis is being provisioned: no volume",
    ],
    ["down", { ready: 0, previousPhase: "Running" }, "Degraded Degraded: Redis is degraded: 0/2 replicas ready"],
    ["still down", { ready: 0, previousPhase: "Degraded" }, "Degraded Degraded: Redis is degraded: 0/2 replicas ready"],
    [
      "partially ready",
      { ready: 1, previousPhase: "Provisioning" },
      "Degraded Degraded: Redis is degraded: 1/2 replicas ready",
    ],
    ["refused", { refused: { reason: "ResourceConflict", message: "taken" } }, "Failed ResourceConflict: taken"],
  ];
  for (const [title, change, expected] of rows) {
    it(`when ${title}`, () => {
      const { phase, reason, message } = componentState({ ...running, ...change });

      assert.equal(`${phase} ${reason}: ${message}`, expected);
    });
  }
});

describe("the phase of a tenant", () => {
  const at = (phase: ReturnType<typeof componentState>["phase"]): ReturnType<typeof componentState> => ({
    ...componentState(running),
    phase,
    message: "why",
  });
  const rows: readonly (readonly [Parameters<typeof at>[0], Parameters<typeof at>[0], string])[] = [
    ["Running", "Running", "Running: Tenant is running"],
    ["Failed", "Running", "Failed: Redis: why"],
    ["Failed", "Failed", "Failed: Redis: why; Server: why"],
    ["Hibernated", "Hibernated", "Hibernated: Tenant is hibernated"],
    ["Provisioning", "Hibernated", "Provisioning: Waiting for Redis, server"],
    ["Running", "Pending", "Provisioning: Waiting for server"],
    ["Provisioning", "Degraded", "Provisioning: Waiting for Redis"],
    ["Degraded", "Running", "Degraded: Redis: why"],
  ];
  for (const [redis, server, expected] of rows) {
    it(`with Redis ${redis} and the server ${server}`, () => {
      const { phase, message } = tenantPhase({ redis: at(redis), server: at(server) });

      assert.equal(`${phase}: ${message}`, expected);
    });
  }
});

describe("podProblem", () => {
  const pod = (state: ContainerState, restartCount = 0): Pod => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p" },
    spec: { containers: [] },
    status: { containerStatuses: [{ name: "c", state, restartCount, ready: false, image: "", imageID: "" }] },
  });
  const waiting = (reason: string, message?: string): ContainerState => ({
    waiting: { reason, ...(message === undefined ? {} : { message }) },
  });
  const rows: readonly (readonly [Pod, string | undefined])[] = [
    [pod(waiting("ImagePullBackOff", "back-off")), "ImagePull true: Container c of pod p is waiting: back-off"],
    [pod(waiting("InvalidImageName")), "ImagePull true: Container c of pod p is waiting: InvalidImageName"],
    [pod(waiting("ErrImagePull")), "ImagePull false: Container c of pod p is waiting: ErrImagePull"],
    [
      pod(waiting("CreateContainerConfigError", 'secret "x" not found')),
      'MissingReference true: Container c of pod p is waiting: secret "x" not found',
    ],
    [pod(waiting("CrashLoopBackOff"), 4), "CrashLoop false: Container c of pod p is crash looping (4 restarts)"],
    [pod(waiting("CrashLoopBackOff"), 5), "CrashLoop true: Container c of pod p is crash looping (5 restarts)"],
    [pod(waiting("ContainerCreating")), undefined],
    [pod({ running: {} }), undefined],
  ];
  for (const [given, expected] of rows) {
    it(expected ?? "nothing", () => {
      const found = podProblem([given], [], now);

      assert.equal(found && `${found.reason} ${found.isBlocking}: ${found.message}`, expected);
    });
  }

  it("blocks on a missing node or volume after five minutes", () => {
    const since = (ms: number): string => formatTime(now - ms);
    const unscheduled = (ms: number): Pod => ({
      ...pod({}),
      status: {
        conditions: [{ type: "PodScheduled", status: "False", message: "0/1 nodes", lastTransitionTime: since(ms) }],
      },
    });
    const claim = (ms: number): PersistentVolumeClaim => ({
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { name: "d", creationTimestamp: since(ms) },
      spec: {},
      status: { phase: "Pending" },
    });

    assert.equal(podProblem([unscheduled(299_000)], [], now)?.isBlocking, false);
    assert.equal(podProblem([unscheduled(300_000)], [], now)?.isBlocking, true);
    assert.deepEqual(podProblem([unscheduled(1_000)], [claim(1_000)], now), {
      reason: "StorageNotBound",
      message: "PersistentVolumeClaim d is not bound",
      isBlocking: false,
    });
    assert.equal(podProblem([], [claim(300_000)], now)?.isBlocking, true);
  });
});

describe("workload status", () => {
  const deployment = (status: Deployment["status"]): Deployment => ({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { generation: 3 },
    spec: { selector: {}, template: {} },
    ...(status === undefined ? {} : { status }),
  });
  const full = { observedGeneration: 3, replicas: 2, readyReplicas: 2, updatedReplicas: 2 };

  it("reports why a Deployment makes no progress", () => {
    const failing = (message: string): Deployment =>
      deployment({ conditions: [{ type: "ReplicaFailure", status: "True", message }] });
    const quota = 'pods "a" is forbidden: exceeded quota: tenant-quota';

    assert.deepEqual(deploymentProblem(failing(quota)), { reason: "QuotaExceeded", message: quota });
    assert.equal(deploymentProblem(failing("violates PodSecurity restricted"))?.reason, "PodSecurity");
    assert.equal(deploymentProblem(failing("a webhook said no"))?.reason, "ReconcileError");
    assert.equal(
      deploymentProblem(deployment({ conditions: [{ type: "Progressing", status: "False", message: "slow" }] }))
        ?.reason,
      "ProgressDeadlineExceeded",
    );
    assert.equal(deploymentProblem(deployment(full)), undefined);
  });
});

describe("deriveStatus", () => {
  const server = { ...running, title: "Server" as const };
  const outcome: AppliedOutcome = {
    redis: running,
    server,
    policies: { state: "applied" },
    storage: undefined,
    quota: undefined,
    passwordSource: undefined,
    credentials: undefined,
    error: undefined,
    failure: undefined,
  };
  const input = { name: "acme", generation: 4, now, previous: undefined };
  const ready = (change: Partial<AppliedOutcome>): string => {
    const value = deriveStatus({ type: "applied", namespace: "tenant-acme", applied: { ...outcome, ...change } }, input)
      .conditions.Ready;
    return `${String(value?.status)} ${value?.reason}`;
  };

  it("is Ready when everything runs and policies are applied or disabled", () => {
    assert.equal(ready({}), "true TenantReady");
    assert.equal(ready({ policies: { state: "disabled" } }), "true TenantReady");
    assert.equal(ready({ policies: { state: "failed", message: "no" } }), "false ReconcileError");
  });

  it("reports why the tenant is not Ready", () => {
    const down = { ...running, ready: 0 };
    assert.equal(ready({ redis: down }), "false Provisioning");
    assert.equal(ready({ redis: { ...down, previousPhase: "Running" } }), "false Degraded");
    assert.equal(
      ready({ redis: { ...running, refused: { reason: "ResourceConflict", message: "x" } } }),
      "false ResourceConflict",
    );
    assert.equal(ready({ redis: { ...down, blocked: obstacle } }), "false Degraded");
    assert.equal(ready({ error: "429" }), "false ReconcileError");
    assert.equal(ready({ failure: { reason: "InvalidSpec", message: "x" }, error: "429" }), "false InvalidSpec");
    const asleep = { ...running, desired: 0, ready: 0, pods: 0 };
    assert.equal(ready({ redis: asleep, server: { ...asleep, title: "Server" } }), "false Hibernated");
  });

  it("sets observedGeneration, and keeps the time of an unchanged phase", () => {
    const previous = {
      phase: "Running" as const,
      lastTransitionTime: "2025-01-01T00:00:00Z",
      redisStatus: { phase: "Running" as const, lastTransitionTime: "2025-01-02T00:00:00Z" },
    };
    const { fields } = deriveStatus(
      { type: "applied", namespace: "tenant-acme", applied: outcome },
      { ...input, previous },
    );

    assert.equal(fields.observedGeneration, 4);
    assert.equal(fields.lastTransitionTime, "2025-01-01T00:00:00Z");
    assert.equal(fields.redisStatus?.lastTransitionTime, "2025-01-02T00:00:00Z");
    assert.equal(fields.serverStatus?.lastTransitionTime, formatTime(now));
  });

  it("cuts long messages", () => {
    const { fields, conditions } = deriveStatus({ type: "invalidSpec", message: "x".repeat(5_000) }, input);

    assert.equal(fields.message?.length, 1024);
    assert.equal(conditions.Ready?.message?.length, 1024);
    assert.equal(fields.phase, "Failed");
  });

  it("is Failed for a foreign namespace, and Pending for a missing one", () => {
    const missing = (reason: "NamespaceConflict" | "NamespaceTerminating" | "CreateFailed"): string => {
      const { fields, conditions } = deriveStatus(
        { type: "namespaceMissing", namespace: { reason, message: "m" } },
        input,
      );
      return `${fields.phase} ${conditions.Ready?.reason} ${conditions.NamespaceReady?.reason}`;
    };

    assert.equal(missing("NamespaceConflict"), "Failed NamespaceConflict NamespaceConflict");
    assert.equal(missing("NamespaceTerminating"), "Pending Provisioning NamespaceTerminating");
    assert.equal(missing("CreateFailed"), "Pending ReconcileError CreateFailed");
  });

  it("uses declared reasons only", () => {
    const listed: ReadonlySet<string> = new Set(Object.values(reasons).flat());
    const { conditions } = deriveStatus({ type: "applied", namespace: "n", applied: outcome }, input);

    for (const value of Object.values(conditions))
      if (value !== undefined) assert.ok(listed.has(value.reason), value.reason);
  });
});
