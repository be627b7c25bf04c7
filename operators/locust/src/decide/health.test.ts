import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { formatTime } from "@homeostat/core";
import type { Job } from "@homeostat/kubernetes/batch/v1";
import type { ContainerState, ContainerStatus, Event, Pod, PodSpec, PodStatus } from "@homeostat/kubernetes/core/v1";
import type { Role } from "../api/names.ts";
import { masterExitOf, type ObservedPods, runningMasterOf, type TestPod } from "../observe/pods.ts";
import { failureKey, type Health, evaluateHealth } from "./health.ts";

const now = Date.UTC(2026, 0, 1);
const graceMs = 120_000;

interface PodOptions {
  readonly role?: Role;
  readonly ageSeconds?: number;
  readonly status?: PodStatus;
  readonly spec?: Partial<PodSpec>;
  readonly isLeaving?: boolean;
}

function pod(
  name: string,
  { role = "worker", ageSeconds = 300, status = {}, spec, isLeaving }: PodOptions = {},
): TestPod {
  const made: Pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      uid: name,
      creationTimestamp: formatTime(now - ageSeconds * 1_000),
      ...(isLeaving === true ? { deletionTimestamp: formatTime(now) } : {}),
    },
    spec: { containers: [], ...spec },
    status,
  };
  return { role, pod: made };
}

function container(name: string, state: ContainerState): ContainerStatus {
  return { name, state, ready: false, restartCount: 0, image: "", imageID: "" };
}

const waiting = (reason: string, message?: string): ContainerState => ({
  waiting: { reason, ...(message === undefined ? {} : { message }) },
});
const exited = (exitCode: number, reason = "Error"): ContainerState => ({ terminated: { exitCode, reason } });
const inMain = (state: ContainerState, name = "t-worker"): PodStatus => ({
  containerStatuses: [container(name, state)],
});
const inInit = (state: ContainerState, name = "init"): PodStatus => ({
  initContainerStatuses: [container(name, state)],
});

function evaluate(pods: readonly TestPod[], more: Partial<ObservedPods> = {}): Health {
  return evaluateHealth({
    pods,
    now,
    graceMs,
    masterContainer: "t-master",
    expectedConfigMap: undefined,
    podlessJobs: [],
    events: [],
    ignoresDisruptions: false,
    ...more,
  });
}

const job: Job = {
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name: "t-worker", uid: "j" },
  spec: { template: {} },
};

function warning(uid: string, reason: string, message: string): Event {
  const metadata = { name: `${uid}-${reason}`, creationTimestamp: formatTime(now) };
  return { apiVersion: "v1", kind: "Event", metadata, involvedObject: { uid }, type: "Warning", reason, message };
}

const lineOf = ({ isHealthy, reason, message }: Health): string => `${isHealthy} ${reason}: ${message}`;
const sidecar: Partial<PodSpec> = { initContainers: [{ name: "mesh", restartPolicy: "Always" }] };

describe("evaluateHealth", () => {
  const ok = "true PodsHealthy: All pods are healthy";
  const of = (type: string, name: string, text: string): string =>
    `false ${type}: ${type}: 1 pod(s) affected [${name}]: ${text}`;
  const hint = ". Create the ConfigMap and the pods will restart automatically.";
  const unscheduled: PodStatus = {
    conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message: "0/3 nodes fit" }],
  };
  const rows: readonly [string, readonly TestPod[], string][] = [
    ["there are none", [], "true PodsStarting: Waiting for pods to be created"],
    [
      "all are young",
      [pod("p", { ageSeconds: 119, status: inMain(exited(1)) })],
      "true PodsStarting: Pods are starting up",
    ],
    ["none fails", [pod("p", { status: inMain({ running: {} }) })], ok],
    ["cannot be scheduled", [pod("p", { status: unscheduled })], of("SchedulingError", "p", "0/3 nodes fit")],
    [
      "a variable's ConfigMap is missing",
      [pod("p", { status: inMain(waiting("CreateContainerConfigError", 'configmap "c" not found')) })],
      of("ConfigurationError", "p", `configmap "c" not found${hint}`),
    ],
    [
      "ImagePullBackOff",
      [pod("p", { status: inMain(waiting("ImagePullBackOff", "m")) })],
      of("ImagePullError", "p", "m"),
    ],
    ["ErrImagePull", [pod("p", { status: inMain(waiting("ErrImagePull", "m")) })], of("ImagePullError", "p", "m")],
    [
      "InvalidImageName",
      [pod("p", { status: inMain(waiting("InvalidImageName", "m")) })],
      of("ImagePullError", "p", "m"),
    ],
    [
      "ErrImageNeverPull",
      [pod("p", { status: inMain(waiting("ErrImageNeverPull", "m")) })],
      of("ImagePullError", "p", "m"),
    ],
    [
      "CrashLoopBackOff",
      [pod("p", { status: inMain(waiting("CrashLoopBackOff", "m")) })],
      of("CrashLoopBackOff", "p", "m"),
    ],
    [
      "a worker has exited",
      [pod("p", { status: inMain(exited(137, "OOMKilled")) })],
      of("CrashLoopBackOff", "p", "Container t-worker exited with code 137: OOMKilled"),
    ],
    ["a worker has exited with 0", [pod("p", { status: inMain(exited(0, "Completed")) })], ok],
    [
      "an init container has failed",
      [pod("p", { status: inInit(exited(3)) })],
      of("InitializationError", "p", "Container init exited with code 3: Error"),
    ],
    [
      "an init container cannot be pulled",
      [pod("p", { status: inInit(waiting("ImagePullBackOff", "m")) })],
      of("ImagePullError", "p", "m"),
    ],
    ["a native sidecar has ended", [pod("p", { spec: sidecar, status: inInit(exited(143), "mesh") })], ok],
    [
      "a native sidecar crash-loops",
      [pod("p", { spec: sidecar, status: inInit(waiting("CrashLoopBackOff", "m"), "mesh") })],
      of("CrashLoopBackOff", "p", "m"),
    ],
    ["the master's Locust has failed", [pod("m", { role: "master", status: inMain(exited(1), "t-master") })], ok],
    [
      "another container of the master has failed",
      [pod("m", { role: "master", status: inMain(exited(1), "proxy") })],
      of("CrashLoopBackOff", "m", "Container proxy exited with code 1: Error"),
    ],
    ["a terminating pod", [pod("p", { isLeaving: true, status: inMain(exited(1)) }), pod("q")], ok],
    ["a young pod beside old ones", [pod("p", { ageSeconds: 1, status: inMain(exited(1)) }), pod("q")], ok],
    ["a pod hangs, and no event gives a reason", [pod("p", { status: inMain(waiting("ContainerCreating")) })], ok],
  ];
  for (const [what, pods, line] of rows) {
    it(what, () => {
      assert.equal(lineOf(evaluate(pods)), line);
    });
  }

  it("requeues when the grace period of the oldest pod, or of the youngest pod that was not evaluated, ends", () => {
    assert.equal(evaluate([pod("p", { ageSeconds: 100 }), pod("q", { ageSeconds: 50 })]).requeueAfterMs, 20_000);
    assert.equal(evaluate([pod("p"), pod("q", { ageSeconds: 50 })]).requeueAfterMs, 70_000);
    assert.equal(evaluate([pod("p")]).requeueAfterMs, undefined);
  });

  it("reports the most important failure and all pods that have it", () => {
    const pods = [
      pod("a", { status: inInit(exited(1)) }),
      pod("b", { status: inMain(exited(1)) }),
      pod("d", { status: unscheduled }),
      pod("c", { status: unscheduled }),
      pod("e", { status: inMain(waiting("ErrImagePull", "m")) }),
      pod("f", { status: inMain(waiting("CreateContainerConfigError", "n")) }),
    ];
    const types = [
      "ConfigurationError",
      "ImagePullError",
      "SchedulingError",
      "CrashLoopBackOff",
      "InitializationError",
    ];

    const found = [pods, pods.slice(0, 5), pods.slice(0, 4), pods.slice(0, 2), pods.slice(0, 1)].map((each) =>
      evaluate(each),
    );

    assert.deepEqual(
      found.map(({ reason }) => reason),
      types,
    );
    assert.equal(found[2]?.message, "SchedulingError: 2 pod(s) affected [c, d]: 0/3 nodes fit");
    assert.equal(found[2]?.failedPods, 2);
  });

  it("detects a missing mounted ConfigMap or Secret from the events of the pod", () => {
    const hanging = pod("p", { status: inMain(waiting("ContainerCreating")) });
    const text = 'MountVolume.SetUp failed for volume "x" : configmap "shop-test" not found';

    const health = evaluate([hanging], { events: [warning("p", "FailedMount", text)], expectedConfigMap: "shop-test" });

    assert.equal(
      health.message,
      `ConfigurationError: 1 pod(s) affected [p]: ConfigMap not found (expected: shop-test). ${text}${hint}`,
    );
    assert.deepEqual([evaluate([hanging]).isHanging, evaluate([hanging]).requeueAfterMs], [true, 15_000]);
  });

  it("does not treat young, terminating or running pods as hanging", () => {
    const status = inMain(waiting("PodInitializing"));
    const pods = [pod("a", { status, ageSeconds: 1 }), pod("b", { status, isLeaving: true }), pod("c")];

    assert.equal(evaluate(pods).isHanging, false);
  });

  it("names the expected ConfigMap, unless the message names another one or a Secret", () => {
    const messageFor = (text: string, expectedConfigMap?: string): string =>
      evaluate([pod("p", { status: inMain(waiting("CreateContainerConfigError", text)) })], { expectedConfigMap })
        .message.replace("ConfigurationError: 1 pod(s) affected [p]: ", "")
        .replace(hint, "");

    assert.equal(
      messageFor('ConfigMap "c" not found', "c"),
      'ConfigMap not found (expected: c). ConfigMap "c" not found',
    );
    assert.equal(messageFor("cannot be found", "c"), "ConfigMap not found (expected: c). cannot be found");
    assert.equal(messageFor('configmap "d" not found', "c"), 'configmap "d" not found');
    assert.equal(messageFor('secret "s" not found', "c"), 'secret "s" not found');
    assert.equal(messageFor("cannot be found"), "cannot be found");
  });

  it("ignores disrupted workers if they are replaced", () => {
    const status: PodStatus = {
      ...inMain(exited(143)),
      conditions: [{ type: "DisruptionTarget", status: "True" }],
    };

    assert.equal(evaluate([pod("p", { status }), pod("q")], { ignoresDisruptions: true }).isHealthy, true);
    assert.equal(evaluate([pod("p", { status }), pod("q")]).isHealthy, false);
  });

  it("fails for pods that the API server rejects", () => {
    const refusal = 'Error creating: pods "t-master-" is forbidden: RuntimeClass "x" not found';

    assert.equal(
      lineOf(evaluate([], { podlessJobs: [job], events: [warning("j", "FailedCreate", refusal)] })),
      `false SchedulingError: SchedulingError: 0 pod(s) affected []: ${refusal}`,
    );
  });

  it("waits for pods that a quota rejects, and reports it", () => {
    const refusal = 'Error creating: pods "t-worker-" is forbidden: exceeded quota: small';

    const health = evaluate([pod("m", { role: "master" })], {
      podlessJobs: [job],
      events: [warning("j", "FailedCreate", refusal)],
    });

    assert.equal(lineOf(health), `true PodsStarting: Waiting for pods to be created: ${refusal}`);
    assert.deepEqual([health.isHeldByQuota, health.requeueAfterMs], [true, 15_000]);
  });

  it("truncates the list of 500 pods", () => {
    const pods = Array.from({ length: 500 }, (_, index) => pod(`p${index}`, { status: inMain(exited(1)) }));

    const { message, failedPods } = evaluate(pods);

    assert.equal(failedPods, 500);
    assert.match(message, /^CrashLoopBackOff: 500 pod\(s\) affected \[.*, and 450 more\]: /);
    assert.ok(message.length < 1_000);
  });

  it("evaluates 501 pods in less than 200 ms of CPU", () => {
    const pods = Array.from({ length: 501 }, (_, index) => pod(`p${index}`, { status: inMain(exited(index % 2)) }));

    const times = [1, 2, 3, 4, 5].map(() => {
      const before = process.cpuUsage();
      evaluate(pods);
      return process.cpuUsage(before).user / 1_000;
    });

    // Minimum of five: the first call includes compilation, and others may include garbage collection.
    assert.ok(Math.min(...times) < 200, `${times.join(", ")} ms`);
  });

  it("treats pods as young after the clock was set back, without negative times", () => {
    const health = evaluate([pod("p", { ageSeconds: -3_600 })]);

    assert.equal(health.reason, "PodsStarting");
    assert.equal(health.requeueAfterMs, graceMs);
  });

  it("distinguishes failures by reason and pods, not by the error message", () => {
    const first = "ImagePullError: 1 pod(s) affected [a]: ErrImagePull";

    assert.equal(failureKey(first), failureKey("ImagePullError: 1 pod(s) affected [a]: Back-off"));
    assert.notEqual(failureKey(first), failureKey("ImagePullError: 2 pod(s) affected [a, b]: ErrImagePull"));
    assert.notEqual(failureKey(first), failureKey("SchedulingError: 1 pod(s) affected [a]: ErrImagePull"));
  });
});

describe("runningMasterOf and masterExitOf", () => {
  const pods = [
    pod("w", { status: inMain(exited(1), "t-master") }),
    pod("old", { role: "master", isLeaving: true, status: inMain({ running: {} }, "t-master") }),
    pod("m", { role: "master", status: inMain({ running: {} }, "t-master") }),
  ];

  it("return the master pod while its Locust container runs", () => {
    assert.equal(runningMasterOf(pods, "t-master")?.metadata.name, "m");
    assert.equal(masterExitOf(pods, "t-master"), undefined);
  });

  it("return how the Locust container ended", () => {
    const ended = [...pods.slice(0, 1), pod("m", { role: "master", status: inMain(exited(2), "t-master") })];

    assert.equal(masterExitOf(ended, "t-master")?.exitCode, 2);
    assert.equal(runningMasterOf(ended, "t-master"), undefined);
  });
});
