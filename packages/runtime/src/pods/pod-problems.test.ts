import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { formatTime } from "@homeostat/core";
import type {
  ContainerState,
  ContainerStatus,
  Event,
  PersistentVolumeClaim,
  Pod,
  PodSpec,
  PodStatus,
} from "@homeostat/kubernetes/core/v1";
import type { PodProblem } from "./pod-problem.ts";
import { podProblems, type PodWorkload } from "./pod-problems.ts";
import { isPodDisrupted, isPodHanging, podAgeMs } from "./pod-state.ts";

const now = Date.UTC(2026, 0, 1);
const ago = (ms: number): string => formatTime(now - ms);

interface PodOptions {
  readonly name?: string;
  readonly ageMs?: number;
  readonly spec?: Partial<PodSpec>;
  readonly isLeaving?: boolean;
}

function pod(status: PodStatus, { name = "p", ageMs = 600_000, spec, isLeaving = false }: PodOptions = {}): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      uid: `uid-${name}`,
      creationTimestamp: ago(ageMs),
      ...(isLeaving ? { deletionTimestamp: ago(0) } : {}),
    },
    spec: { containers: [], ...spec },
    status,
  };
}

function container(state: ContainerState, more: Partial<ContainerStatus> = {}): ContainerStatus {
  return { name: "c", state, ready: false, restartCount: 0, image: "", imageID: "", ...more };
}

const waiting = (reason: string, message?: string): ContainerState => ({
  waiting: { reason, ...(message === undefined ? {} : { message }) },
});
const exited = (exitCode: number, reason = "Error"): ContainerState => ({ terminated: { exitCode, reason } });
const main = (state: ContainerState, more?: Partial<ContainerStatus>): PodStatus => ({
  containerStatuses: [container(state, more)],
});
const init = (state: ContainerState, more?: Partial<ContainerStatus>): PodStatus => ({
  initContainerStatuses: [container(state, { name: "i", ...more })],
});
const unscheduled = (ageMs: number, message?: string): PodStatus => ({
  conditions: [
    {
      type: "PodScheduled",
      status: "False",
      reason: "Unschedulable",
      lastTransitionTime: ago(ageMs),
      ...(message === undefined ? {} : { message }),
    },
  ],
});

/** Formats a problem: `ImagePull!` if it is blocking, `ImagePull` otherwise. */
const short = ({ reason, isBlocking }: PodProblem): string => `${reason}${isBlocking ? "!" : ""}`;
const of = (given: Pod): readonly PodProblem[] => podProblems({ pods: [given], now });

const never: Partial<PodSpec> = { restartPolicy: "Never" };
const sidecar: Partial<PodSpec> = { initContainers: [{ name: "i", restartPolicy: "Always" }] };
const killed: ContainerState = { terminated: { exitCode: 137, reason: "OOMKilled" } };

interface Row {
  readonly name: string;
  readonly pod: Pod;
  readonly found: readonly string[];
  readonly sentence?: string;
}

const rows: readonly Row[] = [
  { name: "a running pod", pod: pod(main({ running: {} })), found: [] },
  { name: "a pod whose container is being created", pod: pod(main(waiting("ContainerCreating"))), found: [] },
  { name: "a pod without a status", pod: pod({}), found: [] },
  {
    name: "a pod that waits for a node",
    pod: pod(unscheduled(299_000, "0/3 nodes are available")),
    found: ["Unschedulable"],
    sentence: "Pod p cannot be scheduled: 0/3 nodes are available",
  },
  { name: "a pod that has waited for a node for long", pod: pod(unscheduled(300_000)), found: ["Unschedulable!"] },
  {
    name: "a pull that failed once",
    pod: pod(main(waiting("ErrImagePull"))),
    found: ["ImagePull"],
    sentence: "Container c of pod p is waiting: ErrImagePull",
  },
  {
    name: "a pull that fails repeatedly",
    pod: pod(main(waiting("ImagePullBackOff", "Back-off pulling image"))),
    found: ["ImagePull!"],
    sentence: "Container c of pod p is waiting: Back-off pulling image",
  },
  { name: "an invalid image name", pod: pod(main(waiting("InvalidImageName"))), found: ["ImagePull!"] },
  { name: "an image that is never pulled", pod: pod(main(waiting("ErrImageNeverPull"))), found: ["ImagePull!"] },
  {
    name: "an init container whose image cannot be pulled",
    pod: pod(init(waiting("ImagePullBackOff", "m"))),
    found: ["ImagePull!"],
    sentence: "Init container i of pod p is waiting: m",
  },
  {
    name: "a missing ConfigMap",
    pod: pod(main(waiting("CreateContainerConfigError", 'configmap "settings" not found'))),
    found: ["MissingReference!"],
  },
  {
    name: "a missing key of a Secret",
    pod: pod(main(waiting("CreateContainerConfigError", "couldn't find key token in Secret team/login"))),
    found: ["MissingReference!"],
  },
  {
    name: "a configuration that the kubelet rejects",
    pod: pod(main(waiting("CreateContainerConfigError", "container has runAsNonRoot and image will run as root"))),
    found: ["InvalidConfiguration!"],
  },
  {
    name: "a container that cannot be created",
    pod: pod(main(waiting("CreateContainerError"))),
    found: ["StartFailed!"],
  },
  {
    name: "a crash loop with few restarts",
    pod: pod(main(waiting("CrashLoopBackOff", "back-off 40s"), { restartCount: 4 })),
    found: ["CrashLoop"],
    sentence: "Container c of pod p is crash looping (4 restarts)",
  },
  {
    name: "a crash loop with many restarts",
    pod: pod(main(waiting("CrashLoopBackOff"), { restartCount: 5 })),
    found: ["CrashLoop!"],
  },
  {
    name: "a crash loop because of the memory limit",
    pod: pod(main(waiting("CrashLoopBackOff"), { restartCount: 6, lastState: killed })),
    found: ["CrashLoop!", "OutOfMemory!"],
  },
  {
    name: "a container that exceeded its memory limit",
    pod: pod(main(killed), { spec: never }),
    found: ["ContainerFailed!", "OutOfMemory!"],
    sentence: "Container c of pod p exited with code 137 (OOMKilled)",
  },
  { name: "a container that failed and is restarted", pod: pod(main(exited(1))), found: ["ContainerFailed"] },
  {
    name: "a container that failed and is not restarted",
    pod: pod(main(exited(1)), { spec: never }),
    found: ["ContainerFailed!"],
  },
  { name: "a container that has completed", pod: pod(main(exited(0, "Completed"))), found: [] },
  {
    name: "an init container that failed",
    pod: pod(init(exited(3)), { spec: never }),
    found: ["InitFailed!"],
    sentence: "Init container i of pod p exited with code 3 (Error)",
  },
  { name: "a sidecar that was stopped", pod: pod(init(exited(143)), { spec: sidecar }), found: [] },
  {
    name: "a sidecar in a crash loop",
    pod: pod(init(waiting("CrashLoopBackOff")), { spec: sidecar }),
    found: ["CrashLoop"],
  },
  {
    name: "an evicted pod",
    pod: pod({ phase: "Failed", reason: "Evicted", message: "The node was low on resource: memory." }),
    found: ["Evicted"],
    sentence: "Pod p was evicted: The node was low on resource: memory.",
  },
  {
    name: "a pod that lost its node",
    pod: pod({
      phase: "Failed",
      ...main(exited(143)),
      conditions: [{ type: "DisruptionTarget", status: "True", reason: "DeletionByTaintManager" }],
    }),
    found: ["ContainerFailed", "Evicted"],
  },
  { name: "a pod that is being deleted", pod: pod(main(exited(1)), { isLeaving: true }), found: [] },
];

describe("podProblems", () => {
  for (const { name, pod: given, found, sentence } of rows) {
    it(`finds ${found.join(" and ") || "nothing"} for ${name}`, () => {
      const problems = of(given);

      assert.deepEqual(problems.map(short), found);
      if (sentence !== undefined) assert.equal(problems[0]?.sentence, sentence);
    });
  }

  it("keeps the message of the kubelet, and the object that it names", () => {
    const text = "couldn't find key token in Secret team/login";

    const [key] = of(pod(main(waiting("CreateContainerConfigError", text), { restartCount: 2 })));
    const [named] = of(pod(main(waiting("CreateContainerConfigError", 'ConfigMap "settings" not found'))));
    const [volume] = of(pod(unscheduled(0, 'persistentvolumeclaim "data" not found')));

    assert.deepEqual(key, {
      reason: "MissingReference",
      pod: "p",
      container: "c",
      isInit: false,
      restarts: 2,
      isBlocking: true,
      detail: text,
      source: "CreateContainerConfigError",
      sentence: `Container c of pod p is waiting: ${text}`,
      missing: { kind: "Secret", name: "login", key: "token" },
    });
    assert.deepEqual(named?.missing, { kind: "ConfigMap", name: "settings" });
    assert.deepEqual(volume?.missing, { kind: "PersistentVolumeClaim", name: "data" });
  });

  it("orders problems by what has to be resolved first", () => {
    const many = pod({
      ...unscheduled(0),
      initContainerStatuses: [container(exited(1), { name: "i" })],
      containerStatuses: [container(waiting("ImagePullBackOff"))],
    });

    assert.deepEqual(
      of(many).map(({ reason }) => reason),
      ["Unschedulable", "InitFailed", "ImagePull"],
    );
  });

  it("skips pods that have just started", () => {
    const pods = [
      pod(main(exited(1)), { name: "young", ageMs: 119_000 }),
      pod(main(exited(1)), { name: "old", ageMs: 120_000 }),
    ];

    const problems = podProblems({ pods, now, startupGraceMs: 120_000 });

    assert.deepEqual(
      problems.map((problem) => problem.pod),
      ["old"],
    );
  });

  it("ignores expected exit codes", () => {
    const given = pod({ containerStatuses: [container(exited(1)), container(exited(2), { name: "proxy" })] });

    const problems = podProblems({ pods: [given], now, isExitExpected: (_, name) => name === "c" });
    const stuck = podProblems({
      pods: [pod(main(waiting("CrashLoopBackOff")))],
      now,
      isExitExpected: () => true,
    });

    assert.deepEqual(
      problems.map((problem) => problem.container),
      ["proxy"],
    );
    assert.deepEqual(stuck.map(short), ["CrashLoop"], "a crash loop is never expected");
  });

  it("uses the given limits", () => {
    const pods = [pod(unscheduled(10_000)), pod(main(waiting("CrashLoopBackOff"), { restartCount: 2 }))];

    const problems = podProblems({ pods, now, patienceMs: 10_000, restartsMax: 2 });

    assert.deepEqual(problems.map(short), ["Unschedulable!", "CrashLoop!"]);
  });
});

describe("podProblems of claims", () => {
  const claim = (phase: "Bound" | "Lost" | "Pending" | undefined, ageMs: number): PersistentVolumeClaim => ({
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: "data-0", creationTimestamp: ago(ageMs) },
    spec: {},
    ...(phase === undefined ? {} : { status: { phase } }),
  });
  const table: readonly (readonly [string, PersistentVolumeClaim, readonly string[]])[] = [
    ["one that is bound", claim("Bound", 900_000), []],
    ["one that is young", claim("Pending", 1_000), ["Volume"]],
    ["one without a status", claim(undefined, 1_000), ["Volume"]],
    ["one that has waited for long", claim("Pending", 300_000), ["Volume!"]],
    ["one that is lost", claim("Lost", 1_000), ["Volume!"]],
  ];
  for (const [name, given, found] of table) {
    it(`finds ${found.join() || "nothing"} for ${name}`, () => {
      assert.deepEqual(podProblems({ pods: [], claims: [given], now }).map(short), found);
    });
  }

  it("names the claim", () => {
    const [problem] = podProblems({ pods: [], claims: [claim("Pending", 0)], now });

    assert.deepEqual([problem?.claim, problem?.sentence], ["data-0", "PersistentVolumeClaim data-0 is not bound"]);
  });
});

describe("podProblems of events and workloads", () => {
  const event = (uid: string, reason: string, message: string, ageMs = 0): Event => ({
    apiVersion: "v1",
    kind: "Event",
    metadata: { name: `${uid}-${ageMs}`, creationTimestamp: ago(ageMs) },
    involvedObject: { uid },
    type: "Warning",
    reason,
    message,
    lastTimestamp: ago(ageMs),
  });
  const hanging = pod(main(waiting("ContainerCreating")));
  const mount = 'MountVolume.SetUp failed for volume "x" : configmap "shop-test" not found';

  it("finds volumes that cannot be mounted in the newest event of a hanging pod", () => {
    const events = [
      event("uid-p", "FailedMount", mount),
      event("uid-p", "FailedMount", "timed out waiting for the condition", 1_000),
      event("uid-q", "FailedMount", "of another pod"),
      event("uid-p", "BackOff", "of another reason"),
    ];

    const [problem, ...more] = podProblems({ pods: [hanging], events, now });

    assert.deepEqual([problem?.reason, problem?.detail, more], ["MissingReference", mount, []]);
    assert.deepEqual(problem?.missing, { kind: "ConfigMap", name: "shop-test" });
    const attach = [event("uid-p", "FailedAttachVolume", "Multi-Attach error for volume")];
    assert.deepEqual(podProblems({ pods: [hanging], events: attach, now }).map(short), ["Volume!"]);
    assert.deepEqual(
      podProblems({ pods: [pod(main({ running: {} }))], events, now }),
      [],
      "a running pod has mounted its volumes",
    );
  });

  it("finds pods that the API server rejects in conditions and events", () => {
    const quota = 'pods "a" is forbidden: exceeded quota: small, requested: pods=1';
    const job: PodWorkload = { kind: "Job", metadata: { name: "run", uid: "j" } };
    const deployment: PodWorkload = {
      kind: "Deployment",
      metadata: { name: "web", uid: "d" },
      status: {
        conditions: [
          { type: "ReplicaFailure", status: "True", message: quota },
          { type: "Progressing", status: "False", message: "slow" },
        ],
      },
    };
    const denied = "Error creating: pods is forbidden: violates PodSecurity";

    const problems = podProblems({
      pods: [],
      workloads: [deployment, job, { kind: "Job", metadata: { name: "fine", uid: "k" } }],
      events: [event("j", "FailedCreate", denied), event("x", "FailedCreate", "of another workload")],
      now,
    });

    assert.deepEqual(
      problems.map(({ reason, workload, refusal }) => [reason, workload, refusal?.reason]),
      [
        ["AdmissionRefused", "web", "QuotaExceeded"],
        ["ProgressDeadlineExceeded", "web", undefined],
        ["AdmissionRefused", "run", "AdmissionDenied"],
      ],
    );
    assert.equal(problems[0]?.detail, quota);
    assert.equal(problems[2]?.sentence, `Job run cannot create pods: ${denied}`);
  });

  it("finds a missing ServiceAccount", () => {
    const text =
      'Error creating: pods "a" is forbidden: error looking up service account team/bot: serviceaccount "bot" not found';
    const workloads = [{ kind: "StatefulSet", metadata: { name: "db", uid: "s" } }];

    const [problem] = podProblems({ pods: [], workloads, events: [event("s", "FailedCreate", text)], now });

    assert.equal(problem?.reason, "MissingReference");
    assert.deepEqual(problem?.missing, { kind: "ServiceAccount", name: "bot" });
  });

  it("finds no missing object in the message of a webhook", () => {
    const text = 'admission webhook "w" denied the request: secret "x" not found';
    const workloads = [{ kind: "Job", metadata: { name: "run", uid: "j" } }];

    const [problem] = podProblems({ pods: [], workloads, events: [event("j", "FailedCreate", text)], now });

    assert.equal(problem?.reason, "AdmissionRefused");
  });
});

describe("the state of a pod", () => {
  it("includes its age, a disruption, and whether it hangs", () => {
    assert.equal(podAgeMs(pod({}, { ageMs: 5_000 }), now), 5_000);
    assert.equal(podAgeMs(pod({}, { ageMs: -5_000 }), now), 0, "the age is never negative");
    assert.equal(isPodHanging(pod(init(waiting("PodInitializing")))), true);
    assert.equal(isPodHanging(pod(main({ running: {} }))), false);
    assert.equal(isPodDisrupted(pod({ conditions: [{ type: "DisruptionTarget", status: "True" }] })), true);
    assert.equal(isPodDisrupted(pod({ conditions: [{ type: "DisruptionTarget", status: "False" }] })), false);
  });
});
