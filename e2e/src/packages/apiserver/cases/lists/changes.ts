// Updates of existing objects and the errors for immutable fields; statuses; validation of Services.

import { apply, type Case, get, inCase, patch, pod, post, put } from "../case.ts";

const pods = inCase("pods");
const jobs = inCase("jobs", "batch/v1");
const claims = inCase("persistentvolumeclaims");
const services = inCase("services");
const ports = [{ port: 80 }];

const rich = pod("p", {
  volumes: [
    { name: "v", emptyDir: {} },
    { name: "s", secret: { secretName: "x" } },
  ],
  containers: [
    {
      name: "c",
      image: "i",
      env: [{ name: "A", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }],
      resources: { limits: { cpu: "1" } },
      livenessProbe: { httpGet: { port: 80, path: "/<x>" } },
      volumeMounts: [{ name: "v", mountPath: "/v" }],
    },
    { name: "d", image: "j", securityContext: { runAsUser: 5, capabilities: { add: ["A"] } } },
  ],
  nodeSelector: { b: "1", a: "2" },
  affinity: {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { topologyKey: "z", labelSelector: { matchLabels: { q: "r" } } },
      ],
    },
  },
  topologySpreadConstraints: [{ maxSkew: 1, topologyKey: "z", whenUnsatisfiable: "DoNotSchedule" }],
});

const podChanges: readonly (readonly ["merge" | "strategic" | "json", unknown])[] = [
  ["merge", { spec: { hostNetwork: true } }],
  ["merge", { spec: { nodeName: "n", hostname: "h" } }],
  ["strategic", { spec: { containers: [{ name: "c", command: ["x"], image: "new" }] } }],
  ["strategic", { spec: { containers: [{ name: "d", securityContext: { runAsUser: 7 } }] } }],
  ["merge", { spec: { volumes: null } }],
  [
    "json",
    [
      { op: "remove", path: "/spec/affinity" },
      { op: "replace", path: "/spec/priority", value: 5 },
      { op: "add", path: "/spec/containers/0/env/0", value: { name: "Z", value: "<&>" } },
    ],
  ],
  ["merge", { spec: { restartPolicy: "Never", dnsPolicy: "Default", schedulerName: "q", nodeSelector: { a: "3" } } }],
];

function job(name: string, spec: object): object {
  const template = {
    metadata: { labels: { a: "b" } },
    spec: { containers: [{ name: "c", image: "i" }], restartPolicy: "Never" },
  };
  return { apiVersion: "batch/v1", kind: "Job", metadata: { name }, spec: { template, ...spec } };
}

const other = {
  spec: { template: { spec: { nodeSelector: { a: "b" }, containers: [{ name: "c", image: "other" }] } } },
};
const exits = { rules: [{ action: "FailJob", onExitCodes: { operator: "In", values: [1] } }] };

const claimChanges: readonly object[] = [
  { accessModes: ["ReadOnlyMany"] },
  { resources: { requests: { storage: "2Gi" } } },
  { resources: { requests: { storage: "512Mi" } } },
  { volumeName: "v" },
  { volumeName: "w" },
  { volumeMode: "Block" },
  { storageClassName: "x" },
  { storageClassName: "y" },
];

function service(name: string, spec: object, more: object = {}): object {
  return { apiVersion: "v1", kind: "Service", metadata: { name }, spec, ...more };
}

const oddServices: readonly object[] = [
  { type: "LoadBalancer", clusterIP: "None", ports },
  { type: "NodePort", clusterIP: "None", ports },
  { type: "ExternalName", externalName: "x.y", clusterIP: "10.0.0.9" },
  { type: "ExternalName", externalName: "x.y", ipFamilies: ["IPv4"], ipFamilyPolicy: "SingleStack" },
  { type: "ExternalName", externalName: "X y" },
  { ports: [{ port: 80, nodePort: 30_001 }] },
  { ports, sessionAffinity: "None", sessionAffinityConfig: { clientIP: { timeoutSeconds: 5 } } },
  { ports, loadBalancerSourceRanges: ["10.0.0.0/8"], allocateLoadBalancerNodePorts: true, loadBalancerClass: "a/b" },
];

const selector = { matchLabels: { app: "a" } };
const workloads = [
  ["deployments", "Deployment"],
  ["replicasets", "ReplicaSet"],
  ["statefulsets", "StatefulSet"],
  ["daemonsets", "DaemonSet"],
] as const;

const badStatus = {
  replicas: -1,
  readyReplicas: 3,
  availableReplicas: 4,
  updatedReplicas: 2,
  currentReplicas: 2,
  fullyLabeledReplicas: 5,
  numberReady: -2,
  collisionCount: -1,
};

const amounts: readonly object[] = [
  { limits: { "a b": "1" } },
  { limits: { "hugepages-2Mi": "4Mi" } },
  { requests: { "example.com/gpu": "1" } },
  { requests: { "example.com/gpu": "1" }, limits: { "example.com/gpu": "2" } },
  { limits: { "example.com/gpu": "500m" } },
  { limits: { "requests.example.com/gpu": "1" } },
  { limits: { pods: "1" } },
  { limits: { "kubernetes.io/x": "1" } },
];

const texts: readonly string[] = [
  "a: 'b",
  "a:\n\tb: c",
  "a: b\n c: d\n",
  "{a: b",
  "[a, b",
  "a: [b\nc: d",
  'a: "b\nc',
  "- a\nb: c",
  "@a",
  "a:\n  b: 1\n c: 2\n",
  "a: |\n b\nc",
  "a: {b: c]",
  "a: b\nc\nd: e",
  "metadata:\n  name: a: b\n",
];

/** Cases about updates and validation of parts of objects. */
export const changeCases: readonly Case[] = [
  {
    name: "an immutable field of a pod: the error shows the difference",
    steps: [post(pods, rich), ...podChanges.map(([form, body]) => patch(form, `${pods}/p`, body))],
  },
  {
    name: "an immutable field of a Job: the error shows template and policies",
    steps: [
      post(jobs, job("j", {})),
      patch("strategic", `${jobs}/j`, other),
      patch("merge", `${jobs}/j`, { spec: { podFailurePolicy: exits } }),
      patch("merge", `${jobs}/j`, { spec: { completionMode: "Indexed", completions: 2 } }),
      post(jobs, job("s", { suspend: true })),
      patch("strategic", `${jobs}/s`, other),
      patch("strategic", `${jobs}/s`, { spec: { template: { spec: { nodeSelector: { a: "b" } } } } }),
      post(
        jobs,
        job("i", {
          completionMode: "Indexed",
          completions: 2,
          podFailurePolicy: exits,
          successPolicy: { rules: [{ succeededCount: 1 }] },
        }),
      ),
      patch("merge", `${jobs}/i`, {
        spec: { podFailurePolicy: { rules: [{ action: "Count", onPodConditions: [{ type: "X" }] }] } },
      }),
      patch("merge", `${jobs}/i`, { spec: { successPolicy: null } }),
    ],
  },
  {
    name: "volumeName and storageClassName of a claim can be set once",
    steps: [
      post(claims, {
        apiVersion: "v1",
        kind: "PersistentVolumeClaim",
        metadata: { name: "c" },
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
      }),
      ...claimChanges.map((spec) => patch("merge", `${claims}/c`, { spec })),
    ],
  },
  { name: "Services with contradicting fields", steps: oddServices.map((spec) => post(services, service("a", spec))) },
  {
    name: "a Service created through its status",
    steps: [
      apply(`${services}/a/status`, "x", service("a", { clusterIP: "None" })),
      apply(`${services}/a/status`, "x", service("a", { ports })),
      apply(
        `${services}/a/status`,
        "x",
        service("a", {}, { status: { loadBalancer: { ingress: [{ ip: "10.0.0.1" }] } } }),
      ),
      patch("merge", `${services}/a`, { metadata: { labels: { a: "b" } } }),
      put(`${services}/b/status?dryRun=All`, service("b", { clusterIP: "10.0.0.77", ports })),
      get(services),
    ],
  },
  {
    name: "addresses in the status of a Service",
    steps: [
      post(services, service("l", { type: "LoadBalancer", ports })),
      patch("merge", `${services}/l/status`, {
        status: {
          loadBalancer: {
            ingress: [
              { ip: "10.0.0.x" },
              { hostname: "A_b" },
              { hostname: "192.0.2.1" },
              { ip: "192.0.2.1", ipMode: "No" },
              { hostname: "x", ipMode: "VIP" },
            ],
          },
        },
      }),
    ],
  },
  ...workloads.map(([plural, kind]) => {
    const path = inCase(plural, "apps/v1");
    const template = { metadata: { labels: { app: "a" } }, spec: { containers: [{ name: "c", image: "i" }] } };
    return {
      name: `numbers in the status of a ${kind}`,
      steps: [
        post(path, { apiVersion: "apps/v1", kind, metadata: { name: "a" }, spec: { selector, template } }),
        patch("merge", `${path}/a/status`, { status: badStatus }),
        patch("merge", `${path}/a/status`, { status: { collisionCount: 2, replicas: 1 } }),
        patch("merge", `${path}/a/status`, { status: { collisionCount: 1 } }),
        patch("merge", `${path}/a/status`, { status: { collisionCount: null } }),
        ...[{ app: null }, null].map((labels) =>
          patch("merge", `${path}/a`, { spec: { template: { metadata: { labels } } } }),
        ),
      ],
    };
  }),
  {
    name: "invalid resources of a container",
    steps: amounts.map((resources) =>
      post(`${pods}?dryRun=All`, pod("a", { containers: [{ name: "c", image: "i", resources }] })),
    ),
  },
  { name: "invalid YAML", steps: texts.map((text) => apply(`${inCase("configmaps")}/a`, "one", text)) },
];
