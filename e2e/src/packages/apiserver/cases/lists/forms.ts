// Tables, PartialObjectMetadata, discovery, and subresources.

import { type Case, configMap, del, deployment, get, inCase, patch, pod, post, put } from "../case.ts";

const table = { headers: { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" } };
const metadata = { headers: { accept: "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1" } };
const metadataList = { headers: { accept: "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1" } };
const maps = inCase("configmaps");
const pods = inCase("pods");
const deployments = inCase("deployments", "apps/v1");

const listed: readonly (readonly [string, string])[] = [
  ["v1", "configmaps"],
  ["v1", "secrets"],
  ["v1", "services"],
  ["v1", "serviceaccounts"],
  ["v1", "persistentvolumeclaims"],
  ["v1", "events"],
  ["v1", "endpoints"],
  ["v1", "resourcequotas"],
  ["apps/v1", "deployments"],
  ["apps/v1", "replicasets"],
  ["apps/v1", "statefulsets"],
  ["apps/v1", "daemonsets"],
  ["batch/v1", "jobs"],
  ["batch/v1", "cronjobs"],
  ["autoscaling/v2", "horizontalpodautoscalers"],
  ["policy/v1", "poddisruptionbudgets"],
  ["networking.k8s.io/v1", "networkpolicies"],
  ["networking.k8s.io/v1", "ingresses"],
  ["rbac.authorization.k8s.io/v1", "roles"],
  ["rbac.authorization.k8s.io/v1", "rolebindings"],
  ["coordination.k8s.io/v1", "leases"],
  ["discovery.k8s.io/v1", "endpointslices"],
];

const groups: readonly string[] = [
  "/api",
  "/api/v1",
  ...["apps", "batch", "policy", "autoscaling"].flatMap((group) => [`/apis/${group}`, `/apis/${group}/v1`]),
];

const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "p" } };
const scale = (replicas: number): object => ({
  apiVersion: "autoscaling/v1",
  kind: "Scale",
  metadata: { name: "d" },
  spec: { replicas },
});

export const formCases: readonly Case[] = [
  ...listed.map(([version, plural]) => {
    const path = version === "v1" ? inCase(plural) : inCase(plural, version);
    return { name: `the empty table of ${plural}`, steps: [get(path, table), get(path)] };
  }),
  {
    name: "a table of config maps",
    steps: [
      post(maps, configMap("a", { k: "v" })),
      get(maps, table),
      get(`${maps}/a`, table),
      get(`${maps}?includeObject=None`, table),
      get(`${maps}?includeObject=Object`, table),
      get(`${maps}?includeObject=Other`, table),
    ],
  },
  { name: "a table of an object that does not exist", steps: [get(`${maps}/absent`, table)] },
  {
    name: "metadata alone",
    steps: [
      post(maps, configMap("a", { k: "v" })),
      get(`${maps}/a`, metadata),
      get(maps, metadataList),
      get(maps, metadata),
      get(`${maps}/a`, metadataList),
    ],
  },
  ...groups.map((path) => ({ name: `discovery at ${path}`, steps: [get(path)] })),
  {
    name: "scale of a deployment",
    steps: [
      post(deployments, deployment("d")),
      get(`${deployments}/d/scale`),
      put(`${deployments}/d/scale`, scale(3)),
      patch("merge", `${deployments}/d/scale`, { spec: { replicas: 4 } }),
      put(`${deployments}/d/scale`, scale(-1)),
      get(`${deployments}/d`),
    ],
  },
  {
    name: "binding of a pod",
    steps: [
      post(pods, pod("p")),
      post(`${pods}/p/binding`, {
        apiVersion: "v1",
        kind: "Binding",
        metadata: { name: "p" },
        target: { kind: "Node", name: "n" },
      }),
      get(`${pods}/p`),
      post(`${pods}/p/binding`, {
        apiVersion: "v1",
        kind: "Binding",
        metadata: { name: "p" },
        target: { kind: "Node", name: "m" },
      }),
    ],
  },
  {
    name: "binding of a pod without a target",
    steps: [
      post(pods, pod("p")),
      post(`${pods}/p/binding`, { apiVersion: "v1", kind: "Binding", metadata: { name: "p" }, target: {} }),
    ],
  },
  { name: "eviction of a pod", steps: [post(pods, pod("p")), post(`${pods}/p/eviction`, eviction), get(`${pods}/p`)] },
  { name: "eviction of a pod that does not exist", steps: [post(`${pods}/p/eviction`, eviction)] },
  {
    name: "a disruption budget protects a pod",
    steps: [
      post(inCase("poddisruptionbudgets", "policy/v1"), {
        apiVersion: "policy/v1",
        kind: "PodDisruptionBudget",
        metadata: { name: "b" },
        spec: { minAvailable: 1, selector: { matchLabels: { app: "x" } } },
      }),
      post(pods, pod("p", { nodeName: "n" }, { labels: { app: "x" } })),
      patch("merge", `${pods}/p/status`, {
        status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
      }),
      post(`${pods}/p/eviction`, eviction),
    ],
  },
  {
    name: "logs of a pod without a node",
    steps: [
      post(pods, pod("p")),
      get(`${pods}/p/log`),
      get(`${pods}/p/log?container=absent`),
      get(`${pods}/p/log?tailLines=-1`),
      get(`${pods}/absent/log`),
    ],
  },
  {
    name: "a namespace",
    steps: [
      get("/api/v1/namespaces/{ns}"),
      patch("merge", "/api/v1/namespaces/{ns}", { metadata: { labels: { x: "y" } } }),
      patch("merge", "/api/v1/namespaces/{ns}", { spec: { finalizers: [] } }),
      patch("merge", "/api/v1/namespaces/{ns}/status", { status: { phase: "Terminating" } }),
    ],
  },
  {
    name: "a terminating namespace accepts no new objects",
    steps: [
      post("/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: "{ns}-going" } }),
      post("/api/v1/namespaces/{ns}-going/configmaps", configMap("a")),
      del("/api/v1/namespaces/{ns}-going"),
      post("/api/v1/namespaces/{ns}-going/configmaps", configMap("b")),
      get("/api/v1/namespaces/{ns}-going"),
      del("/api/v1/namespaces/{ns}-going"),
      del("/api/v1/namespaces/{ns}-going/configmaps/a"),
      put("/api/v1/namespaces/{ns}-going/finalize", {
        apiVersion: "v1",
        kind: "Namespace",
        metadata: { name: "{ns}-going" },
        spec: { finalizers: [] },
      }),
      get("/api/v1/namespaces/{ns}-going"),
    ],
  },
  {
    name: "names of namespaces",
    steps: [
      post("/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: "A.b" } }),
      post("/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: "{ns}" } }),
    ],
  },
  {
    name: "a quota that is exhausted",
    steps: [
      post(inCase("resourcequotas"), {
        apiVersion: "v1",
        kind: "ResourceQuota",
        metadata: { name: "q" },
        spec: { hard: { "count/configmaps": "0" } },
      }),
      patch("merge", `${inCase("resourcequotas")}/q/status`, {
        status: { hard: { "count/configmaps": "0" }, used: { "count/configmaps": "0" } },
      }),
      post(maps, configMap("a")),
    ],
  },
  {
    name: "a LimitRange sets defaults and rejects pods",
    steps: [
      post(inCase("limitranges"), {
        apiVersion: "v1",
        kind: "LimitRange",
        metadata: { name: "l" },
        spec: {
          limits: [{ type: "Container", default: { cpu: "500m" }, defaultRequest: { cpu: "100m" }, max: { cpu: "1" } }],
        },
      }),
      post(pods, pod("p")),
      post(pods, pod("q", { containers: [{ name: "c", image: "i", resources: { limits: { cpu: "2" } } }] })),
    ],
  },
  {
    name: "restricted pods",
    steps: [
      patch("merge", "/api/v1/namespaces/{ns}", {
        metadata: {
          labels: {
            "pod-security.kubernetes.io/enforce": "restricted",
            "pod-security.kubernetes.io/warn": "restricted",
          },
        },
      }),
      post(pods, pod("p")),
      post(deployments, deployment("d")),
      post(
        pods,
        pod("q", {
          securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
          containers: [
            {
              name: "c",
              image: "i",
              securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
            },
          ],
        }),
      ),
    ],
  },
];
