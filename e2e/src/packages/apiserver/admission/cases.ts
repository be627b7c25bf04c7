// Requests for both servers. Each case has its own namespace, `{ns}`; messages are compared in full.
// One table, and therefore longer than other files.

import type { Step } from "./server.ts";

/** Steps that are sent to both servers in order. */
export interface Case {
  readonly name: string;
  readonly steps: readonly Step[];
}

const core = "/api/v1/namespaces/{ns}";
const at = (plural: string, name = ""): string => `${core}/${plural}${name === "" ? "" : `/${name}`}`;
const get = (path: string): Step => ({ method: "GET", path });
const post = (path: string, body: unknown): Step => ({ method: "POST", path, body });
const put = (path: string, body: unknown): Step => ({ method: "PUT", path, body });
const patch = (path: string, body: unknown, type?: string): Step => ({
  method: "PATCH",
  path,
  body,
  ...(type === undefined ? {} : { type }),
});
const del = (path: string, body?: unknown): Step => ({
  method: "DELETE",
  path,
  ...(body === undefined ? {} : { body }),
});

const object = (apiVersion: string, kind: string, name: string, rest: object = {}, metadata: object = {}): object => ({
  apiVersion,
  kind,
  metadata: { name, ...metadata },
  ...rest,
});

/** Returns a pod with containers of the given names. */
const pod = (name: string, spec: object = {}, container: object = {}, metadata: object = {}): object =>
  object(
    "v1",
    "Pod",
    name,
    { spec: { containers: [{ name: "main", image: "a:1", ...container }], ...spec } },
    metadata,
  );

const withResources = (requests: object, limits: object = {}): object => ({ resources: { requests, limits } });
const label = (mode: string, value: string): object => ({
  metadata: { labels: { [`pod-security.kubernetes.io/${mode}`]: value } },
});
const limits = (...items: readonly object[]): object =>
  object("v1", "LimitRange", "limits", { spec: { limits: items } });
const quota = (hard: object, rest: object = {}): object =>
  object("v1", "ResourceQuota", "quota", { spec: { hard, ...rest } });
const service = (name: string, spec: object): object =>
  object("v1", "Service", name, { spec: { ports: [{ port: 80 }], ...spec } });

const bad = {
  hostNetwork: true,
  hostPID: true,
  securityContext: {
    runAsUser: 0,
    runAsNonRoot: false,
    sysctls: [{ name: "kernel.msgmax", value: "1" }],
    seLinuxOptions: { user: "u", type: "t" },
    seccompProfile: { type: "Unconfined" },
  },
  volumes: [
    { name: "host", hostPath: { path: "/" } },
    { name: "nfs", nfs: { server: "a", path: "/" } },
  ],
  containers: [
    {
      name: "one",
      image: "a",
      ports: [{ containerPort: 80, hostPort: 80 }],
      securityContext: { privileged: true, capabilities: { add: ["SYS_ADMIN", "NET_RAW"] } },
      livenessProbe: { httpGet: { host: "10.0.0.1", port: 80 } },
    },
    { name: "two", image: "a", securityContext: { allowPrivilegeEscalation: true, procMount: "Default" } },
  ],
};
const good = {
  securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
  containers: [
    { name: "a", image: "a", securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } } },
  ],
};
const podSpec = (name: string, spec: object): object => object("v1", "Pod", name, { spec });
const template = (spec: object): object => ({
  selector: { matchLabels: { app: "a" } },
  template: { metadata: { labels: { app: "a" } }, spec },
});

/** Cases about namespaces. */
const namespaceCases: readonly Case[] = [
  {
    name: "a namespace that does not exist",
    steps: [post("/api/v1/namespaces/nowhere/configmaps", object("v1", "ConfigMap", "a"))],
  },
  {
    name: "namespaces that cannot be deleted",
    steps: [del("/api/v1/namespaces/default"), del("/api/v1/namespaces/kube-system")],
  },
  {
    name: "no creation in a terminating namespace",
    steps: [
      post(at("configmaps"), object("v1", "ConfigMap", "kept", {}, { finalizers: ["a.example/b"] })),
      del(core),
      post(at("configmaps"), object("v1", "ConfigMap", "late")),
      post(at("configmaps"), { apiVersion: "v1", kind: "ConfigMap", metadata: { generateName: "late-" } }),
      patch(at("configmaps", "kept"), { data: { a: "b" } }),
    ],
  },
];

/** Cases about limits of pods and claims. */
const limitCases: readonly Case[] = [
  {
    name: "defaults of a LimitRange",
    steps: [
      post(
        at("limitranges"),
        limits({ type: "Container", default: { cpu: "500m", memory: "1Gi" }, defaultRequest: { cpu: "100m" } }),
      ),
      post(at("pods"), pod("bare")),
      post(at("pods"), pod("own", {}, withResources({ cpu: "50m" }, { memory: "2Gi" }))),
      post(at("pods"), pod("both", { initContainers: [{ name: "first", image: "a" }] })),
    ],
  },
  {
    name: "bounds of a LimitRange",
    steps: [
      post(
        at("limitranges"),
        limits(
          { type: "Container", min: { cpu: "100m" }, max: { memory: "1Gi" } },
          { type: "Pod", max: { cpu: "2" } },
          { type: "PersistentVolumeClaim", min: { storage: "1Gi" }, max: { storage: "2Gi" } },
        ),
      ),
      post(at("pods"), pod("bare")),
      post(at("pods"), pod("little", {}, withResources({ cpu: "50m", memory: "1Mi" }, { cpu: "60m", memory: "1Mi" }))),
      post(at("pods"), pod("much", {}, withResources({ cpu: "3", memory: "2Gi" }, { cpu: "3", memory: "2Gi" }))),
      post(at("pods"), pod("fine", {}, withResources({ cpu: "200m", memory: "1Gi" }, { cpu: "1", memory: "1Gi" }))),
      post(at("persistentvolumeclaims"), claim("small", "1Mi")),
      post(at("persistentvolumeclaims"), claim("large", "3Gi")),
      post(at("persistentvolumeclaims"), claim("fine", "1Gi")),
    ],
  },
  {
    name: "the ratio of limit and request in a LimitRange",
    steps: [
      post(at("limitranges"), limits({ type: "Container", maxLimitRequestRatio: { cpu: "2" } })),
      post(at("pods"), pod("loose", {}, withResources({ cpu: "100m" }, { cpu: "300m" }))),
      post(at("pods"), pod("none")),
      post(at("pods"), pod("fine", {}, withResources({ cpu: "100m" }, { cpu: "200m" }))),
    ],
  },
];

function claim(name: string, storage: string): object {
  const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } } };
  return object("v1", "PersistentVolumeClaim", name, { spec });
}

/** Cases about Pod Security Standards. */
const securityCases: readonly Case[] = [
  ...["baseline", "restricted"].map((level) => ({
    name: `pods that violate the standard ${level}`,
    steps: [
      patch(core, label("enforce", level)),
      post(at("pods"), podSpec("bad", bad)),
      post(at("pods"), podSpec("good", good)),
      post(at("pods"), pod("plain")),
      post(at("pods"), pod("users", { hostUsers: false })),
      post("/apis/apps/v1/namespaces/{ns}/deployments", object("apps/v1", "Deployment", "d", { spec: template(bad) })),
      post(
        "/apis/batch/v1/namespaces/{ns}/jobs",
        object("batch/v1", "Job", "j", {
          spec: { template: { spec: { ...good, restartPolicy: "Never", hostIPC: true } } },
        }),
      ),
    ],
  })),
  {
    name: "a standard of an older release",
    steps: [
      patch(core, {
        metadata: {
          labels: {
            "pod-security.kubernetes.io/enforce": "restricted",
            "pod-security.kubernetes.io/enforce-version": "v1.20",
          },
        },
      }),
      post(at("pods"), podSpec("bad", bad)),
      post(at("pods"), pod("plain")),
    ],
  },
  {
    name: "warnings of a standard",
    steps: [
      patch(core, {
        metadata: {
          labels: { "pod-security.kubernetes.io/warn": "restricted", "pod-security.kubernetes.io/audit": "baseline" },
        },
      }),
      post(at("pods"), pod("plain")),
      post(at("pods"), podSpec("good", good)),
      patch(at("pods", "plain"), { metadata: { labels: { a: "b" } } }),
      patch(
        at("pods", "plain"),
        { spec: { containers: [{ name: "main", image: "a:2" }] } },
        "application/strategic-merge-patch+json",
      ),
    ],
  },
  {
    name: "invalid labels, and existing pods that violate a new level",
    steps: [
      patch(core, label("enforce", "strict")),
      patch(core, {
        metadata: {
          labels: { "pod-security.kubernetes.io/enforce-version": "1.2", "pod-security.kubernetes.io/warn": "none" },
        },
      }),
      post(
        "/api/v1/namespaces",
        object("v1", "Namespace", "{ns}-bad", {}, { labels: { "pod-security.kubernetes.io/audit": "x" } }),
      ),
      post(at("pods"), pod("one")),
      post(at("pods"), pod("two")),
      post(at("pods"), podSpec("three", bad)),
      post(at("pods"), podSpec("good", good)),
      patch(core, label("enforce", "restricted")),
      patch(core, label("enforce", "baseline")),
      patch(core, label("enforce", "privileged")),
    ],
  },
];

/** Cases about priorities, tolerations and classes. */
const smallCases: readonly Case[] = [
  {
    name: "priorities",
    steps: [
      post(at("pods"), pod("none", { priorityClassName: "missing" })),
      post(at("pods"), pod("system", { priorityClassName: "system-cluster-critical" })),
      post(at("pods"), pod("number", { priority: 5 })),
      post(at("pods"), pod("policy", { preemptionPolicy: "Never" })),
      post(
        "/apis/scheduling.k8s.io/v1/priorityclasses",
        object("scheduling.k8s.io/v1", "PriorityClass", "{ns}", { value: 7, preemptionPolicy: "Never" }),
      ),
      post(at("pods"), pod("own", { priorityClassName: "{ns}" })),
      del("/apis/scheduling.k8s.io/v1/priorityclasses/{ns}"),
    ],
  },
  {
    name: "tolerations and the taint of a node",
    steps: [
      post(at("pods"), pod("all", { tolerations: [{ operator: "Exists" }] })),
      post(
        at("pods"),
        pod("one", { tolerations: [{ key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute" }] }),
      ),
      post("/api/v1/nodes", object("v1", "Node", "{ns}")),
      del("/api/v1/nodes/{ns}"),
    ],
  },
  {
    name: "storage, ingress and runtime classes",
    steps: [
      post(at("persistentvolumeclaims"), claim("before", "1Gi")),
      post(
        "/apis/storage.k8s.io/v1/storageclasses",
        object(
          "storage.k8s.io/v1",
          "StorageClass",
          "{ns}",
          { provisioner: "a.example/b" },
          { annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
        ),
      ),
      post(at("persistentvolumeclaims"), claim("after", "1Gi")),
      patch(at("persistentvolumeclaims", "after"), { spec: { resources: { requests: { storage: "2Gi" } } } }),
      del("/apis/storage.k8s.io/v1/storageclasses/{ns}"),
      post(
        "/apis/networking.k8s.io/v1/ingressclasses",
        object(
          "networking.k8s.io/v1",
          "IngressClass",
          "{ns}",
          { spec: { controller: "a.example/b" } },
          { annotations: { "ingressclass.kubernetes.io/is-default-class": "true" } },
        ),
      ),
      post(
        "/apis/networking.k8s.io/v1/namespaces/{ns}/ingresses",
        object("networking.k8s.io/v1", "Ingress", "a", {
          spec: { defaultBackend: { service: { name: "a", port: { number: 80 } } } },
        }),
      ),
      del("/apis/networking.k8s.io/v1/ingressclasses/{ns}"),
      post(at("pods"), pod("runtime", { runtimeClassName: "missing" })),
      post(
        "/apis/node.k8s.io/v1/runtimeclasses",
        object("node.k8s.io/v1", "RuntimeClass", "{ns}", {
          handler: "h",
          overhead: { podFixed: { cpu: "100m" } },
          scheduling: { nodeSelector: { a: "b" } },
        }),
      ),
      post(at("pods"), pod("sandbox", { runtimeClassName: "{ns}" })),
      post(at("pods"), pod("other", { runtimeClassName: "{ns}", overhead: { cpu: "200m" } })),
      post(at("pods"), pod("torn", { runtimeClassName: "{ns}", nodeSelector: { a: "c" } })),
      post(at("pods"), pod("alone", { overhead: { cpu: "200m" } })),
      del("/apis/node.k8s.io/v1/runtimeclasses/{ns}"),
    ],
  },
];

/** Cases about addresses and ports of Services. */
const serviceCases: readonly Case[] = [
  {
    name: "addresses that cannot be allocated",
    steps: [
      post(at("services"), service("taken", { clusterIP: "10.96.0.1" })),
      post(at("services"), service("outside", { clusterIP: "192.168.0.1" })),
      post(at("services"), service("six", { clusterIP: "2001:db8::1" })),
      post(at("services"), service("torn", { clusterIP: "10.96.5.1", clusterIPs: ["10.96.5.2"] })),
      post(at("services"), service("only", { clusterIPs: ["10.96.5.2"] })),
      post(at("services"), service("dual", { ipFamilyPolicy: "RequireDualStack" })),
      post(at("services"), service("family", { ipFamilies: ["IPv6"] })),
      post(at("services"), service("word", { ipFamilyPolicy: "Some", ipFamilies: ["IPv5", "IPv4", "IPv4"] })),
      post(at("services"), service("network", { clusterIP: "10.96.0.0" })),
    ],
  },
  {
    name: "Services without an address",
    steps: [
      post(at("services"), service("headless", { clusterIP: "None", selector: { a: "b" } })),
      post(at("services"), service("open", { clusterIP: "None" })),
      post(at("services"), service("name", { type: "ExternalName", externalName: "a.example" })),
      patch(at("services", "headless"), { spec: { clusterIP: "10.96.7.7" } }),
    ],
  },
  {
    name: "node ports",
    steps: [
      post(at("services"), service("low", { type: "NodePort", ports: [{ port: 80, nodePort: 80 }] })),
      post(
        at("services"),
        service("twice", {
          type: "NodePort",
          ports: [
            { name: "a", port: 80, nodePort: 31999 },
            { name: "b", port: 81, nodePort: 31999 },
          ],
        }),
      ),
      post(at("services"), service("fine", { type: "NodePort", ports: [{ name: "a", port: 80, nodePort: 31998 }] })),
      post(at("services"), service("taken", { type: "NodePort", ports: [{ name: "a", port: 80, nodePort: 31998 }] })),
      patch(at("services", "fine"), { spec: { type: "ClusterIP" } }),
      post(at("services"), service("free", { type: "NodePort", ports: [{ name: "a", port: 80, nodePort: 31998 }] })),
      del(at("services", "free")),
      del(at("services", "fine")),
    ],
  },
];

/** Cases about subresources of pods. */
const podCases: readonly Case[] = [
  {
    name: "binding",
    steps: [
      post(at("pods"), pod("a")),
      post(at("pods", "a/binding"), object("v1", "Binding", "b", { target: { name: "n" } })),
      post(at("pods", "a/binding"), object("v1", "Binding", "a", { target: { kind: "Host", name: "" } })),
      post(
        at("pods", "a/binding"),
        object(
          "v1",
          "Binding",
          "a",
          { target: { kind: "Node", name: "n" } },
          { uid: "00000000-0000-0000-0000-000000000000" },
        ),
      ),
      post(at("pods", "a/binding?dryRun=All"), object("v1", "Binding", "a", { target: { kind: "Node", name: "n" } })),
      post(
        at("pods", "a/binding"),
        object(
          "v1",
          "Binding",
          "a",
          { target: { kind: "Node", name: "n" } },
          { annotations: { a: "b" }, labels: { c: "d" } },
        ),
      ),
      get(at("pods", "a")),
      post(at("pods", "a/binding"), object("v1", "Binding", "a", { target: { kind: "Node", name: "m" } })),
      post(at("pods", "missing/binding"), object("v1", "Binding", "missing", { target: { kind: "Node", name: "m" } })),
      post(at("pods"), pod("gated", { schedulingGates: [{ name: "a.example/g" }] })),
      post(at("pods", "gated/binding"), object("v1", "Binding", "gated", { target: { kind: "Node", name: "m" } })),
      post(at("pods"), pod("c")),
      post(at("bindings"), object("v1", "Binding", "c", { target: { kind: "Node", name: "n" } })),
    ],
  },
  {
    name: "logs and streams of a pod",
    steps: [
      get(at("pods", "missing/log")),
      post(
        at("pods"),
        podSpec("two", {
          containers: [
            { name: "a", image: "a" },
            { name: "b", image: "a" },
          ],
        }),
      ),
      get(at("pods", "two/log")),
      get(at("pods", "two/log?container=x")),
      get(at("pods", "two/log?container=a")),
      get(at("pods", "two/log?container=a&tailLines=-1&limitBytes=0&sinceSeconds=0")),
      get(at("pods", "two/log?container=a&sinceSeconds=5&sinceTime=2026-01-01T00:00:00Z")),
      get(at("pods", "two/log?container=a&sinceTime=yesterday")),
      get(at("pods", "two/log?container=a&tailLines=x")),
      get(at("pods", "two/log?container=a&stream=Both")),
      get(at("pods", "two/log?container=a&stream=Stdout&tailLines=1")),
      post(at("pods", "two/exec?command=ls&container=a"), undefined),
      post(at("pods", "two/exec?command=ls"), undefined),
      post(at("pods", "two/attach?container=a"), undefined),
      post(at("pods", "two/portforward"), undefined),
      get(at("pods", "two/proxy/")),
      get(at("pods", "missing/proxy/")),
      post(at("pods", "two/binding"), object("v1", "Binding", "two", { target: { name: "no-such-node" } })),
      get(at("pods", "two/log?container=a")),
      post(at("pods", "two/exec?command=ls&container=a"), undefined),
    ],
  },
  {
    name: "eviction",
    steps: [
      post(at("pods"), pod("a", {}, {}, { labels: { app: "a" } })),
      post(at("pods", "a/eviction"), object("policy/v1", "Eviction", "b")),
      post(at("pods", "a/eviction?dryRun=All"), object("policy/v1", "Eviction", "a")),
      post(
        at("pods", "a/eviction"),
        object("policy/v1", "Eviction", "a", { deleteOptions: { preconditions: { uid: "x" } } }),
      ),
      post(at("pods", "a/eviction"), object("policy/v1", "Eviction", "a")),
      get(at("pods", "a")),
      post(at("pods", "missing/eviction"), object("policy/v1", "Eviction", "missing")),
    ],
  },
  {
    name: "eviction with a disruption budget",
    steps: [
      post(
        "/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets",
        object("policy/v1", "PodDisruptionBudget", "b", {
          spec: { minAvailable: 1, selector: { matchLabels: { app: "a" } } },
        }),
      ),
      post(at("pods"), pod("a", { nodeName: "n" }, {}, { labels: { app: "a" } })),
      post(at("pods"), pod("b", { nodeName: "n" }, {}, { labels: { app: "a" } })),
      running("a"),
      running("b"),
      post(at("pods", "a/eviction"), object("policy/v1", "Eviction", "a")),
      budget({ observedGeneration: 1, disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1, expectedPods: 2 }),
      post(at("pods", "a/eviction"), object("policy/v1", "Eviction", "a")),
      budget({ observedGeneration: 1, disruptionsAllowed: 1, currentHealthy: 2, desiredHealthy: 1, expectedPods: 2 }),
      post(at("pods", "a/eviction"), object("policy/v1", "Eviction", "a")),
      get(at("pods", "a")),
      get("/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets/b"),
      post(at("pods", "b/eviction"), object("policy/v1", "Eviction", "b")),
      post(
        "/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets",
        object("policy/v1", "PodDisruptionBudget", "c", { spec: { minAvailable: 1, selector: {} } }),
      ),
      post(at("pods", "b/eviction"), object("policy/v1", "Eviction", "b")),
    ],
  },
];

function running(name: string): Step {
  const conditions = [{ type: "Ready", status: "True" }];
  return patch(at("pods", `${name}/status`), { status: { phase: "Running", conditions } });
}

function budget(status: object): Step {
  return patch("/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets/b/status", { status });
}

/** Cases about the scale subresource. */
const scaleCases: readonly Case[] = [
  {
    name: "the scale of a Deployment",
    steps: [
      post(
        "/apis/apps/v1/namespaces/{ns}/deployments",
        object("apps/v1", "Deployment", "d", { spec: { replicas: 2, ...template(good) } }),
      ),
      get("/apis/apps/v1/namespaces/{ns}/deployments/d/scale"),
      patch("/apis/apps/v1/namespaces/{ns}/deployments/d/scale", { spec: { replicas: 3 } }),
      get("/apis/apps/v1/namespaces/{ns}/deployments/d"),
      put(
        "/apis/apps/v1/namespaces/{ns}/deployments/d/scale",
        object("autoscaling/v1", "Scale", "d", { spec: { replicas: -1 } }, { namespace: "{ns}" }),
      ),
      put(
        "/apis/apps/v1/namespaces/{ns}/deployments/d/scale",
        object(
          "autoscaling/v1",
          "Scale",
          "d",
          { spec: { replicas: 1 } },
          { namespace: "{ns}", uid: "00000000-0000-0000-0000-000000000000" },
        ),
      ),
      put(
        "/apis/apps/v1/namespaces/{ns}/deployments/d/scale",
        object("autoscaling/v1", "Scale", "d", { spec: { replicas: 0 } }, { namespace: "{ns}" }),
      ),
      put(
        "/apis/apps/v1/namespaces/{ns}/deployments/d/scale",
        object("autoscaling/v1", "Scale", "d", { spec: { replicas: 4 } }, { namespace: "{ns}", resourceVersion: "1" }),
      ),
      get("/apis/apps/v1/namespaces/{ns}/deployments/none/scale"),
      patch("/apis/apps/v1/namespaces/{ns}/deployments/none/scale", { spec: { replicas: 3 } }),
      patch("/apis/apps/v1/namespaces/{ns}/deployments/d/scale?dryRun=All", { spec: { replicas: 9 } }),
      get("/apis/apps/v1/namespaces/{ns}/deployments/d/scale"),
    ],
  },
  {
    name: "the scale of a ReplicationController",
    steps: [
      post(
        at("replicationcontrollers"),
        object("v1", "ReplicationController", "r", {
          spec: {
            replicas: 1,
            selector: { b: "2", a: "1" },
            template: { metadata: { labels: { a: "1", b: "2" } }, spec: good },
          },
        }),
      ),
      get(at("replicationcontrollers", "r/scale")),
      patch(at("replicationcontrollers", "r/scale"), { spec: { replicas: 5 } }),
    ],
  },
];

/** Cases about access reviews and tokens. */
const reviewCases: readonly Case[] = [
  {
    name: "access reviews",
    steps: [
      post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", {
        apiVersion: "authorization.k8s.io/v1",
        kind: "SelfSubjectAccessReview",
        spec: { resourceAttributes: { verb: "get", resource: "pods" } },
      }),
      post("/apis/authorization.k8s.io/v1/subjectaccessreviews", {
        apiVersion: "authorization.k8s.io/v1",
        kind: "SubjectAccessReview",
        spec: { user: "bob", resourceAttributes: { verb: "get", resource: "pods" } },
      }),
      post("/apis/authorization.k8s.io/v1/subjectaccessreviews", {
        apiVersion: "authorization.k8s.io/v1",
        kind: "SubjectAccessReview",
        spec: {},
      }),
      post("/apis/authorization.k8s.io/v1/namespaces/{ns}/localsubjectaccessreviews", {
        apiVersion: "authorization.k8s.io/v1",
        kind: "LocalSubjectAccessReview",
        spec: { user: "bob", resourceAttributes: { verb: "get", resource: "pods", namespace: "{ns}" } },
      }),
      post("/apis/authorization.k8s.io/v1/namespaces/nowhere/localsubjectaccessreviews", {
        apiVersion: "authorization.k8s.io/v1",
        kind: "LocalSubjectAccessReview",
        metadata: { namespace: "nowhere" },
        spec: { user: "bob", resourceAttributes: { verb: "get", resource: "pods", namespace: "nowhere" } },
      }),
      post("/apis/authorization.k8s.io/v1/selfsubjectrulesreviews", {
        apiVersion: "authorization.k8s.io/v1",
        kind: "SelfSubjectRulesReview",
        spec: {},
      }),
      post("/apis/authentication.k8s.io/v1/tokenreviews", {
        apiVersion: "authentication.k8s.io/v1",
        kind: "TokenReview",
        spec: { token: "x" },
      }),
      post("/apis/authentication.k8s.io/v1/tokenreviews", {
        apiVersion: "authentication.k8s.io/v1",
        kind: "TokenReview",
        spec: {},
      }),
    ],
  },
  {
    name: "tokens of service accounts",
    steps: [
      post(at("serviceaccounts"), object("v1", "ServiceAccount", "a")),
      post(at("serviceaccounts", "a/token"), {
        apiVersion: "authentication.k8s.io/v1",
        kind: "TokenRequest",
        spec: { expirationSeconds: 700 },
      }),
      post(at("serviceaccounts", "a/token"), {
        apiVersion: "authentication.k8s.io/v1",
        kind: "TokenRequest",
        spec: { expirationSeconds: 5 },
      }),
      post(at("serviceaccounts", "none/token"), {
        apiVersion: "authentication.k8s.io/v1",
        kind: "TokenRequest",
        spec: {},
      }),
      post(at("serviceaccounts", "a/token"), {
        apiVersion: "authentication.k8s.io/v1",
        kind: "TokenRequest",
        metadata: { name: "b" },
        spec: {},
      }),
    ],
  },
];

/** All cases by subject. */
export const admissionCases: ReadonlyMap<string, readonly Case[]> = new Map([
  ["namespaces", namespaceCases],
  ["limits", limitCases],
  ["Pod Security Standards", securityCases],
  ["priorities and classes", smallCases],
  ["Services", serviceCases],
  ["pods", podCases],
  ["scales", scaleCases],
  ["access reviews", reviewCases],
]);

/** Cases about service accounts of pods. A controller of the real server creates the default one, so a control plane is needed. */
export const accountCases: readonly Case[] = [
  {
    name: "the service account of a pod",
    steps: [
      post(at("pods"), pod("usual")),
      post(at("pods"), pod("missing", { serviceAccountName: "missing" })),
      post(at("pods"), pod("old", { serviceAccount: "default" })),
      post(at("pods"), pod("none", { automountServiceAccountToken: false })),
      post(at("pods"), pod("first", { initContainers: [{ name: "first", image: "a" }] })),
      post(
        at("pods"),
        pod(
          "own",
          { volumes: [{ name: "v", emptyDir: {} }] },
          { volumeMounts: [{ name: "v", mountPath: "/var/run/secrets/kubernetes.io/serviceaccount" }] },
        ),
      ),
      post(
        at("serviceaccounts"),
        object("v1", "ServiceAccount", "shy", {
          automountServiceAccountToken: false,
          imagePullSecrets: [{ name: "pull" }],
        }),
      ),
      post(at("pods"), pod("shy", { serviceAccountName: "shy" })),
      post(at("pods"), pod("mounted", { serviceAccountName: "shy", automountServiceAccountToken: true })),
      post(at("pods"), pod("mirror", { nodeName: "n" }, {}, { annotations: { "kubernetes.io/config.mirror": "x" } })),
    ],
  },
];

/** Cases about quotas. A controller of the real server counts usage, so a control plane is needed. */
export const quotaCases: readonly Case[] = [
  {
    name: "a quota of object counts",
    steps: [
      post(
        at("resourcequotas"),
        quota({ configmaps: "2", "count/secrets": "1", pods: "1", services: "5", "services.nodeports": "1" }),
      ),
      get(at("resourcequotas", "quota")),
      post(at("configmaps"), object("v1", "ConfigMap", "a")),
      post(at("configmaps"), object("v1", "ConfigMap", "b")),
      post(at("secrets"), object("v1", "Secret", "a")),
      post(at("secrets"), object("v1", "Secret", "b")),
      post(at("secrets"), { apiVersion: "v1", kind: "Secret", metadata: { generateName: "made-up-" } }),
      post(at("pods"), pod("a")),
      post(at("pods"), pod("b")),
      post(
        at("services"),
        service("many", {
          type: "NodePort",
          ports: [
            { name: "a", port: 1 },
            { name: "b", port: 2 },
          ],
        }),
      ),
      get(at("resourcequotas", "quota")),
      del(at("secrets", "a")),
    ],
  },
  {
    name: "a quota of requests and limits",
    steps: [
      post(at("resourcequotas"), quota({ "requests.cpu": "1", "limits.memory": "1Gi" })),
      get(at("resourcequotas", "quota")),
      post(at("pods"), pod("silent", { initContainers: [{ name: "first", image: "a" }] })),
      post(at("pods"), pod("a", {}, withResources({ cpu: "600m" }, { cpu: "1", memory: "512Mi" }))),
      post(at("pods"), pod("b", {}, withResources({ cpu: "600m" }, { memory: "600Mi" }))),
      post(at("pods"), pod("c", {}, withResources({ cpu: "400m" }, { memory: "512Mi" }))),
      get(at("resourcequotas", "quota")),
    ],
  },
  {
    name: "a quota with scopes",
    steps: [
      post(at("resourcequotas"), quota({ pods: "1" }, { scopes: ["BestEffort"] })),
      get(at("resourcequotas", "quota")),
      post(at("pods"), pod("a")),
      post(at("pods"), pod("b")),
      post(at("pods"), pod("c", {}, withResources({ cpu: "1m" }))),
    ],
  },
];
