// Pods for a real kubelet and the simulated node. Annotations tell the simulated node the results that a real container produces.

import type { Container, Pod, PodSpec, Probe } from "@homeostat/kubernetes/core/v1";
import { shellImage } from "./shell-image.ts";

/** An action when a pod has reached a state. */
export interface Step {
  readonly when: (pod: Pod) => boolean;
  /** An event to wait for as well, for states that the pod does not show. */
  readonly eventReason?: string;
  readonly do: "delete" | { readonly create: ConfigMapToCreate } | { readonly setGate: string };
}

/** A ConfigMap that is created during a story. */
export interface ConfigMapToCreate {
  readonly name: string;
  readonly data: Readonly<Record<string, string>>;
}

/** The story of a pod. */
export interface Scenario {
  readonly name: string;
  readonly spec: Partial<PodSpec> & { readonly containers: Container[] };
  readonly script?: Readonly<Record<string, unknown>>;
  readonly steps?: readonly Step[];
  /** Condition at which the pod is compared; `"gone"` for its deletion. */
  readonly until: ((pod: Pod) => boolean) | "gone";
  /** True if the pod changes afterwards: it is then compared as observed at that moment. */
  readonly changesAfterwards?: boolean;
}

const forever = "trap 'exit 0' TERM; while true; do sleep 0.2; done";

function shell(name: string, script: string, more: Partial<Container> = {}): Container {
  return { name, image: shellImage, imagePullPolicy: "IfNotPresent", command: ["sh", "-c", script], ...more };
}

const probe = (command: string[], more: object = {}): Probe => ({
  exec: { command },
  periodSeconds: 1,
  ...more,
});
const phase =
  (wanted: string) =>
  (pod: Pod): boolean =>
    pod.status?.phase === wanted;
const first = (pod: Pod): NonNullable<NonNullable<Pod["status"]>["containerStatuses"]>[number] | undefined =>
  pod.status?.initContainerStatuses?.find(({ restartCount }) => restartCount > 0) ?? pod.status?.containerStatuses?.[0];
const waiting =
  (reason: string) =>
  (pod: Pod): boolean =>
    first(pod)?.state?.waiting?.reason === reason;
const isReady = (pod: Pod): boolean =>
  pod.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") === true;
const runs = (pod: Pod): boolean => first(pod)?.state?.running !== undefined;

/** All stories. */
export const scenarios: readonly Scenario[] = [
  { name: "run", spec: { containers: [shell("main", forever)] }, until: isReady },
  {
    name: "deleted",
    spec: { containers: [shell("main", forever)] },
    steps: [{ when: isReady, do: "delete" }],
    until: "gone",
  },
  {
    name: "stubborn",
    spec: { containers: [shell("main", "trap '' TERM; while true; do sleep 0.2; done")] },
    steps: [{ when: isReady, do: "delete" }],
    until: "gone",
  },
  {
    name: "succeed",
    spec: { restartPolicy: "Never", containers: [shell("main", "echo hi")] },
    until: phase("Succeeded"),
  },
  { name: "fail", spec: { restartPolicy: "Never", containers: [shell("main", "exit 3")] }, until: phase("Failed") },
  {
    name: "last-words",
    spec: { restartPolicy: "Never", containers: [shell("main", "echo bye > /dev/termination-log; exit 4")] },
    until: phase("Failed"),
  },
  {
    name: "last-lines",
    spec: {
      restartPolicy: "Never",
      containers: [shell("main", "echo one; echo two; exit 4", { terminationMessagePolicy: "FallbackToLogsOnError" })],
    },
    until: phase("Failed"),
  },
  {
    name: "two",
    spec: { restartPolicy: "Never", containers: [shell("a", "sleep 1"), shell("b", "sleep 4; exit 1")] },
    until: phase("Failed"),
  },
  {
    name: "crash-loop",
    spec: { containers: [shell("main", "sleep 1; exit 1")] },
    changesAfterwards: true,
    until: waiting("CrashLoopBackOff"),
  },
  {
    name: "on-failure",
    spec: { restartPolicy: "OnFailure", containers: [shell("main", "sleep 1; exit 0")] },
    until: phase("Succeeded"),
  },
  {
    name: "init",
    spec: {
      restartPolicy: "Never",
      initContainers: [shell("one", "sleep 1"), shell("two", "sleep 1")],
      containers: [shell("main", "sleep 2")],
    },
    until: phase("Succeeded"),
  },
  {
    name: "init-fails",
    spec: {
      restartPolicy: "Never",
      initContainers: [shell("one", "exit 2"), shell("two", "true")],
      containers: [shell("main", forever)],
    },
    until: phase("Failed"),
  },
  {
    name: "init-loops",
    spec: { initContainers: [shell("one", "sleep 1; exit 2")], containers: [shell("main", forever)] },
    changesAfterwards: true,
    until: waiting("CrashLoopBackOff"),
  },
  {
    name: "sidecar",
    spec: {
      restartPolicy: "Never",
      initContainers: [shell("side", forever, { restartPolicy: "Always" }), shell("prep", "sleep 1")],
      containers: [shell("main", "sleep 2")],
    },
    until: phase("Succeeded"),
  },
  {
    name: "never-pulled",
    spec: { containers: [shell("main", forever, { image: "docker.io/local/none:1", imagePullPolicy: "Never" })] },
    script: { pullError: "none" },
    until: waiting("ErrImageNeverPull"),
  },
  {
    name: "pull-fails",
    spec: { containers: [shell("main", forever, { image: "127.0.0.1:1/none:1" })] },
    script: {
      pullError:
        'failed to do request: Head "http://127.0.0.1:1/v2/none/manifests/1": dial tcp 127.0.0.1:1: connect: connection refused',
    },
    changesAfterwards: true,
    until: waiting("ImagePullBackOff"),
  },
  {
    name: "bad-name",
    spec: { containers: [shell("main", forever, { image: "UPPER:CASE" })] },
    until: waiting("InvalidImageName"),
  },
  {
    name: "no-env-map",
    spec: { containers: [shell("main", forever, { envFrom: [{ configMapRef: { name: "no-env-map" } }] })] },
    until: waiting("CreateContainerConfigError"),
  },
  {
    name: "no-env-key",
    spec: {
      containers: [
        shell("main", forever, {
          env: [{ name: "A", valueFrom: { configMapKeyRef: { name: "kube-root-ca.crt", key: "a" } } }],
        }),
      ],
    },
    until: waiting("CreateContainerConfigError"),
  },
  {
    name: "no-env-secret",
    spec: { containers: [shell("main", forever, { envFrom: [{ secretRef: { name: "no-env-secret" } }] })] },
    until: waiting("CreateContainerConfigError"),
  },
  {
    name: "late-volume",
    spec: {
      containers: [shell("main", forever, { volumeMounts: [{ name: "v", mountPath: "/v", readOnly: true }] })],
      volumes: [{ name: "v", configMap: { name: "late-volume" } }],
    },
    steps: [
      {
        when: waiting("ContainerCreating"),
        eventReason: "FailedMount",
        do: { create: { name: "late-volume", data: { a: "1" } } },
      },
    ],
    until: isReady,
  },
  {
    name: "no-volume",
    spec: {
      containers: [shell("main", forever, { volumeMounts: [{ name: "v", mountPath: "/v" }] })],
      volumes: [{ name: "v", secret: { secretName: "no-volume" } }],
    },
    steps: [{ when: waiting("ContainerCreating"), eventReason: "FailedMount", do: "delete" }],
    until: "gone",
  },
  {
    name: "ready-later",
    spec: {
      containers: [shell("main", `sleep 10; touch /tmp/ok; ${forever}`, { readinessProbe: probe(["cat", "/tmp/ok"]) })],
    },
    until: isReady,
  },
  {
    name: "not-alive",
    spec: {
      containers: [
        shell("main", `touch /tmp/ok; sleep 3; rm /tmp/ok; ${forever}`, {
          livenessProbe: probe(["cat", "/tmp/ok"], { failureThreshold: 2 }),
        }),
      ],
    },
    changesAfterwards: true,
    until: (pod) => (first(pod)?.restartCount ?? 0) >= 1,
  },
  {
    name: "never-started",
    spec: { containers: [shell("main", forever, { startupProbe: probe(["false"], { failureThreshold: 2 }) })] },
    changesAfterwards: true,
    until: (pod) => (first(pod)?.restartCount ?? 0) >= 1,
  },
  {
    name: "slow-probe",
    spec: {
      containers: [
        shell("main", forever, { readinessProbe: probe(["sleep", "5"], { periodSeconds: 2, timeoutSeconds: 1 }) }),
      ],
    },
    until: runs,
  },
  {
    name: "refused",
    spec: {
      containers: [
        shell("main", forever, {
          readinessProbe: { httpGet: { port: 8080, path: "/x" }, periodSeconds: 1, timeoutSeconds: 20 },
        }),
      ],
    },
    until: runs,
  },
  {
    name: "deadline",
    spec: { activeDeadlineSeconds: 8, containers: [shell("main", forever)] },
    until: phase("Failed"),
  },
  {
    name: "gate",
    spec: { readinessGates: [{ conditionType: "x.io/gate" }], containers: [shell("main", forever)] },
    steps: [{ when: runs, do: { setGate: "x.io/gate" } }],
    until: isReady,
  },
  {
    name: "no-command",
    spec: { restartPolicy: "Never", containers: [{ ...shell("main", ""), command: ["/nope"] }] },
    script: { startError: 'exec: "/nope": stat /nope: no such file or directory' },
    until: phase("Failed"),
  },
  { name: "host-network", spec: { hostNetwork: true, containers: [shell("main", forever)] }, until: isReady },
  {
    name: "resources",
    spec: {
      containers: [
        shell("main", forever, { resources: { requests: { cpu: "10m", memory: "20Mi" }, limits: { memory: "50Mi" } } }),
      ],
    },
    until: isReady,
  },
];
