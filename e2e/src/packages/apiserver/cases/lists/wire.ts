// Protobuf: responses and request bodies of kinds with every type of field.

import { type Case, configMap, del, deployment, get, inCase, patch, pod, post, put, watch } from "../case.ts";
import { protobuf, wireBody } from "../wire.ts";

const headers = { accept: protobuf };
const binary = { headers: { accept: protobuf, "content-type": protobuf } };
const stream = { accept: `${protobuf};stream=watch` };
const as = (form: string): { headers: { accept: string } } => ({
  headers: { accept: `${protobuf};as=${form};g=meta.k8s.io;v=v1` },
});
const maps = inCase("configmaps");
const a = `${maps}/a`;

const selector = { matchLabels: { app: "a" } };
const containers = [{ name: "c", image: "i", resources: { limits: { cpu: "500m", memory: "1Gi" } } }];
const template = { metadata: { labels: { app: "a" } }, spec: { containers } };

interface Sample {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly content: object;
  /** True for cluster-scoped kinds; their objects are named like the namespace of the case. */
  readonly isOfAll?: boolean;
}

function sample(apiVersion: string, kind: string, plural: string, content: object): Sample {
  return { apiVersion, kind, plural, content };
}

const samples: readonly Sample[] = [
  sample("v1", "ConfigMap", "configmaps", { data: { k: "ü" }, binaryData: { b: "AAEC" } }),
  sample("v1", "Secret", "secrets", { stringData: { k: "v" }, type: "example.com/x" }),
  sample("v1", "Service", "services", { spec: { clusterIP: "None", ports: [{ port: 80, targetPort: "http" }] } }),
  sample("v1", "ServiceAccount", "serviceaccounts", { automountServiceAccountToken: false }),
  sample("v1", "PersistentVolumeClaim", "persistentvolumeclaims", {
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1.5Gi" } } },
  }),
  sample("v1", "LimitRange", "limitranges", { spec: { limits: [{ type: "Container", default: { cpu: "1" } }] } }),
  sample("v1", "Event", "events", {
    involvedObject: { kind: "Pod", namespace: "{ns}", name: "p" },
    reason: "R",
    message: "m",
    type: "Normal",
    firstTimestamp: "2021-01-01T00:00:00Z",
    eventTime: "2021-01-01T00:00:00.123456Z",
    action: "A",
    reportingComponent: "example.com/c",
    reportingInstance: "i",
  }),
  sample("apps/v1", "Deployment", "deployments", { spec: { selector, template } }),
  sample("apps/v1", "StatefulSet", "statefulsets", { spec: { selector, template, serviceName: "s" } }),
  sample("apps/v1", "DaemonSet", "daemonsets", { spec: { selector, template } }),
  sample("batch/v1", "CronJob", "cronjobs", {
    spec: {
      schedule: "@daily",
      jobTemplate: { spec: { template: { spec: { containers, restartPolicy: "Never" } } } },
    },
  }),
  sample("autoscaling/v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers", {
    spec: { maxReplicas: 3, scaleTargetRef: { kind: "Deployment", name: "d", apiVersion: "apps/v1" } },
  }),
  sample("policy/v1", "PodDisruptionBudget", "poddisruptionbudgets", { spec: { minAvailable: "50%", selector } }),
  sample("networking.k8s.io/v1", "NetworkPolicy", "networkpolicies", {
    spec: { podSelector: {}, ingress: [{ from: [{ namespaceSelector: {} }], ports: [{ port: 80 }] }] },
  }),
  sample("networking.k8s.io/v1", "Ingress", "ingresses", {
    spec: { defaultBackend: { service: { name: "s", port: { number: 80 } } } },
  }),
  sample("rbac.authorization.k8s.io/v1", "Role", "roles", {
    rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }],
  }),
  sample("coordination.k8s.io/v1", "Lease", "leases", {
    spec: { holderIdentity: "x", leaseDurationSeconds: 15, renewTime: "2021-01-01T00:00:00.123456Z" },
  }),
  sample("discovery.k8s.io/v1", "EndpointSlice", "endpointslices", {
    addressType: "IPv4",
    endpoints: [{ addresses: ["192.0.2.1"], conditions: { ready: true } }],
    ports: [{ port: 80 }],
  }),
  {
    ...sample("scheduling.k8s.io/v1", "PriorityClass", "priorityclasses", { value: 10, description: "d" }),
    isOfAll: true,
  },
  {
    ...sample("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "validatingwebhookconfigurations", {
      webhooks: [
        {
          name: "w.example.com",
          clientConfig: { url: "https://example.com/w" },
          sideEffects: "None",
          admissionReviewVersions: ["v1"],
        },
      ],
    }),
    isOfAll: true,
  },
];

/** Returns the steps of one object from creation to deletion, all in protobuf. */
function life({ apiVersion, kind, plural, content, isOfAll = false }: Sample): Case {
  const group = apiVersion === "v1" ? "" : apiVersion;
  const path = isOfAll ? `/apis/${apiVersion}/${plural}` : inCase(plural, group);
  const name = isOfAll ? "{ns}" : "a";
  const one = `${path}/${name}`;
  const labelled = "labelSelector=wire%3D{ns}";
  const object = { apiVersion, kind, metadata: { name, labels: { wire: "{ns}" } }, ...content };
  return {
    name: `writes and reads of one ${kind}`,
    steps: [
      post(path, object, { headers }),
      get(one, { headers }),
      patch("merge", one, { metadata: { annotations: { note: "n" } } }, { headers }),
      get(`${path}?${labelled}`, { headers }),
      watch(`${path}?watch=true&resourceVersion=0&${labelled}`, 1, { headers: stream }),
      post(path, object, { headers }),
      del(one, undefined, { headers }),
      get(one, { headers }),
    ],
  };
}

const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "wires.{ns}.example" },
  spec: {
    group: "{ns}.example",
    scope: "Namespaced",
    names: { plural: "wires", kind: "Wire" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", properties: { spec: { type: "integer", default: 3 } } } },
      },
    ],
  },
};
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

const made = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { k: "v" } };
const deployed = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "d" },
  spec: { replicas: 2, selector, template },
};
const deployments = inCase("deployments", "apps/v1");

/** Cases about protobuf in responses and bodies. */
export const wireCases: readonly Case[] = [
  ...samples.map(life),
  {
    name: "a CRD and its custom resources",
    steps: [
      post(`${definitions}?dryRun=All`, definition, { headers }),
      get(`${definitions}/none`, { headers }),
      get("/apis/none.example/v1/things", { headers }),
    ],
  },
  {
    name: "errors",
    steps: [
      get(`${maps}/none`, { headers }),
      post(maps, configMap("A_B"), { headers }),
      post(maps, "{", { headers }),
      put(a, configMap("b"), { headers }),
      get(`${maps}?labelSelector=%3D`, { headers }),
      get(`${maps}?fieldSelector=x%3Dy`, { headers }),
      get(maps, { headers, as: "unprivileged" }),
      post(`${a}/status`, {}, { headers }),
      patch("json", a, "x", { headers }),
      del(`${maps}?limit=x`, undefined, { headers }),
    ],
  },
  {
    name: "formats with and without protobuf support",
    steps: [
      post(maps, configMap("a")),
      get(a, as("Table")),
      get(maps, as("Table")),
      get(a, as("PartialObjectMetadata")),
      get(maps, as("PartialObjectMetadataList")),
      get(a, { headers: { accept: `${protobuf};as=Table;g=meta.k8s.io;v=v1,application/json` } }),
      get(a, { headers: { accept: `${protobuf},application/json` } }),
      get(a, { headers: { accept: `application/json,${protobuf}` } }),
      get(a, { headers: { accept: `${protobuf};q=0.5` } }),
    ],
  },
  {
    name: "discovery, and responses without a kind",
    steps: [
      get("/apis/coordination.k8s.io", { headers }),
      get("/apis/coordination.k8s.io/v1", { headers }),
      get("/api/v1", { headers }),
      get("/version", { headers }),
      get("/healthz", { headers }),
      get("/none", { headers }),
    ],
  },
  {
    name: "scales",
    steps: [
      post(deployments, deployment("d")),
      get(`${deployments}/d/scale`, { headers }),
      patch("merge", `${deployments}/d/scale`, { spec: { replicas: 3 } }, { headers }),
    ],
  },
  {
    name: "bodies",
    steps: [
      post(maps, wireBody(made), binary),
      put(a, wireBody({ ...made, data: { k: "other" } }), binary),
      put(a, wireBody({ ...made, metadata: { name: "b" } }), binary),
      post(deployments, wireBody(deployed), binary),
      post(deployments, wireBody(made), binary),
      del(a, wireBody({ apiVersion: "v1", kind: "DeleteOptions", preconditions: { uid: "x" } }), binary),
      del(a, wireBody({ apiVersion: "v1", kind: "DeleteOptions", gracePeriodSeconds: 0 }), binary),
      post(maps, "k8s\0", binary),
      post(maps, "none", binary),
      patch("merge", a, wireBody(made), { headers }),
    ],
  },
  {
    name: "a watch of creation, change and deletion",
    steps: [
      watch(`${maps}?watch=true`, 3, {
        headers: stream,
        meanwhile: [post(maps, configMap("a")), patch("merge", a, { data: { k: "v" } }), del(a)],
      }),
      watch(`${maps}?watch=true&resourceVersion=x`, 0, { headers: stream }),
      watch(`${maps}?watch=true&resourceVersion=0&timeoutSeconds=1`, 0, { headers }),
    ],
  },
  {
    name: "a watch with initial events",
    steps: [
      post(maps, configMap("a")),
      watch(`${maps}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`, 2, {
        headers: stream,
      }),
      watch(`${maps}?watch=true&resourceVersion=0`, 1, {
        headers: { accept: `${protobuf};stream=watch;as=PartialObjectMetadata;g=meta.k8s.io;v=v1` },
      }),
    ],
  },
  {
    name: "a pod with all types of numbers",
    steps: [
      post(
        inCase("pods"),
        pod("p", { activeDeadlineSeconds: 5_000_000_000, priority: 0, securityContext: { runAsUser: 1 } }),
        { headers },
      ),
      post(
        inCase("pods"),
        pod("q", { securityContext: { runAsUser: 1, fsGroup: 2 }, terminationGracePeriodSeconds: 0 }),
        { headers },
      ),
      get(`${inCase("pods")}/q/status`, { headers }),
    ],
  },
];
