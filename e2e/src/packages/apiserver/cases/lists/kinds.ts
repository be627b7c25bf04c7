// Built-in kinds: defaults and validation. One table, and therefore longer than other files.

import { type Case, del, deployment, get, inCase, patch, pod, post, put } from "../case.ts";

interface Sample {
  readonly what: string;
  readonly at: string;
  readonly body: object;
}

const template = (spec: object = {}): object => ({
  metadata: { labels: { app: "a" } },
  spec: { containers: [{ name: "c", image: "i" }], ...spec },
});
const selector = { matchLabels: { app: "a" } };
const meta = { name: "a" };

function of(
  apiVersion: string,
  kind: string,
  plural: string,
  rest: object,
  what = `${kind} of ${Object.keys(rest).join(", ")}`,
): Sample {
  const at = apiVersion === "v1" ? inCase(plural) : inCase(plural, apiVersion);
  return { what, at, body: { apiVersion, kind, metadata: meta, ...rest } };
}

const containers: readonly (readonly [string, object])[] = [
  ["the minimum", {}],
  ["ports", { ports: [{ containerPort: 80 }, { containerPort: 443, name: "https", protocol: "TCP" }] }],
  ["an invalid port", { ports: [{ containerPort: 0 }, { containerPort: 70000, name: "TOO_LONG_FOR_A_PORT" }] }],
  [
    "a duplicate port name",
    {
      ports: [
        { containerPort: 80, name: "a" },
        { containerPort: 81, name: "a" },
      ],
    },
  ],
  ["resources", { resources: { requests: { cpu: "100m", memory: "1Gi" }, limits: { cpu: "1", memory: "2048Mi" } } }],
  ["limits alone", { resources: { limits: { cpu: "1", memory: "1G" } } }],
  ["a request above its limit", { resources: { requests: { cpu: "2" }, limits: { cpu: "1" } } }],
  ["an invalid quantity", { resources: { requests: { cpu: "many" } } }],
  ["an unknown resource", { resources: { requests: { colour: "1" } } }],
  [
    "variables",
    {
      env: [
        { name: "A", value: "1" },
        { name: "B", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
      ],
    },
  ],
  [
    "bad variables",
    {
      env: [
        { name: "", value: "1" },
        { name: "A=B" },
        { name: "C", value: "x", valueFrom: { secretKeyRef: { name: "s", key: "k" } } },
      ],
    },
  ],
  [
    "variables from elsewhere",
    {
      env: [{ name: "A", valueFrom: { configMapKeyRef: { name: "m", key: "k", optional: true } } }],
      envFrom: [{ secretRef: { name: "s" }, prefix: "P_" }],
    },
  ],
  ["a probe by HTTP", { readinessProbe: { httpGet: { port: 80 } } }],
  [
    "probes of every kind",
    {
      readinessProbe: { httpGet: { port: "http", path: "/x", scheme: "HTTPS" } },
      livenessProbe: { tcpSocket: { port: 1 } },
      startupProbe: { exec: { command: ["a"] } },
    },
  ],
  ["a probe with two actions", { readinessProbe: { httpGet: { port: 80 }, exec: { command: ["a"] } } }],
  ["a probe without an action", { livenessProbe: {} }],
  [
    "a probe with invalid numbers",
    { livenessProbe: { exec: { command: ["a"] }, periodSeconds: -1, successThreshold: 2, timeoutSeconds: -3 } },
  ],
  ["a lifecycle", { lifecycle: { preStop: { exec: { command: ["sleep", "1"] } } } }],
  ["an image pull policy", { imagePullPolicy: "Never" }],
  ["an invalid image pull policy", { imagePullPolicy: "Sometimes" }],
  ["no image", { image: "" }],
  ["an image without a tag", { image: "registry.example/app" }],
  ["an image by digest", { image: `registry.example/app@sha256:${"a".repeat(64)}` }],
  [
    "a security context",
    {
      securityContext: {
        runAsNonRoot: true,
        allowPrivilegeEscalation: false,
        capabilities: { drop: ["ALL"] },
        seccompProfile: { type: "RuntimeDefault" },
      },
    },
  ],
  ["a contradicting security context", { securityContext: { privileged: true, allowPrivilegeEscalation: false } }],
  ["a mount without a volume", { volumeMounts: [{ name: "v", mountPath: "/v" }] }],
  ["an invalid name", { name: "A_B" }],
];

const podSpecs: readonly (readonly [string, object])[] = [
  [
    "two containers with one name",
    {
      containers: [
        { name: "c", image: "i" },
        { name: "c", image: "i" },
      ],
    },
  ],
  ["no containers", { containers: [] }],
  ["an invalid restart policy", { restartPolicy: "Sometimes" }],
  [
    "volumes",
    {
      volumes: [
        { name: "a", emptyDir: {} },
        { name: "b", configMap: { name: "m" } },
        { name: "c", secret: { secretName: "s" } },
        { name: "d", projected: { sources: [{ serviceAccountToken: { path: "t" } }] } },
      ],
    },
  ],
  ["a volume without a source", { volumes: [{ name: "a" }] }],
  ["a volume with two sources", { volumes: [{ name: "a", emptyDir: {}, hostPath: { path: "/" } }] }],
  [
    "volumes with one name",
    {
      volumes: [
        { name: "a", emptyDir: {} },
        { name: "a", emptyDir: {} },
      ],
    },
  ],
  [
    "bad volumes",
    {
      volumes: [
        { name: "a", configMap: {} },
        { name: "b", persistentVolumeClaim: { claimName: "" } },
        { name: "c", hostPath: { path: "../x" } },
      ],
    },
  ],
  [
    "init containers",
    {
      initContainers: [
        { name: "i", image: "i" },
        { name: "s", image: "i", restartPolicy: "Always" },
      ],
    },
  ],
  [
    "an init container with a probe",
    { initContainers: [{ name: "i", image: "i", readinessProbe: { exec: { command: ["a"] } } }] },
  ],
  [
    "tolerations",
    {
      tolerations: [
        { key: "a", operator: "Exists" },
        { key: "b", value: "c", effect: "NoExecute", tolerationSeconds: 5 },
      ],
    },
  ],
  [
    "bad tolerations",
    { tolerations: [{ operator: "Exists", value: "x" }, { key: "a", effect: "Nothing" }, { tolerationSeconds: 1 }] },
  ],
  ["a node selector", { nodeSelector: { "kubernetes.io/os": "linux" } }],
  [
    "an affinity",
    {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: "a", operator: "In", values: ["b"] }] }],
          },
        },
      },
    },
  ],
  [
    "a bad affinity",
    {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: "a", operator: "In" }] }],
          },
        },
      },
    },
  ],
  [
    "spreading",
    {
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey: "zone", whenUnsatisfiable: "DoNotSchedule", labelSelector: selector },
      ],
    },
  ],
  [
    "invalid topology spread constraints",
    { topologySpreadConstraints: [{ maxSkew: 0, topologyKey: "", whenUnsatisfiable: "Never" }] },
  ],
  ["the host network", { hostNetwork: true, containers: [{ name: "c", image: "i", ports: [{ containerPort: 80 }] }] }],
  [
    "a security context",
    {
      securityContext: {
        runAsUser: 1000,
        fsGroup: 2000,
        supplementalGroups: [1],
        sysctls: [{ name: "a.b", value: "1" }],
      },
    },
  ],
  ["invalid names", { hostname: "A_B", subdomain: "C_D", nodeName: "E F", serviceAccountName: "G H" }],
  [
    "aliases",
    {
      hostAliases: [
        { ip: "1.2.3.4", hostnames: ["a.b"] },
        { ip: "x", hostnames: ["C_D"] },
      ],
    },
  ],
  [
    "its own DNS names",
    {
      dnsPolicy: "None",
      dnsConfig: { nameservers: ["1.1.1.1"], searches: ["x.y"], options: [{ name: "ndots", value: "2" }] },
    },
  ],
  ["dnsPolicy None without name servers", { dnsPolicy: "None" }],
  ["an invalid deadline", { activeDeadlineSeconds: 0, terminationGracePeriodSeconds: -1 }],
  [
    "gates",
    { readinessGates: [{ conditionType: "example.com/ready" }], schedulingGates: [{ name: "example.com/wait" }] },
  ],
];

const samples: readonly Sample[] = [
  of("apps/v1", "Deployment", "deployments", { spec: { selector, template: template() } }),
  of(
    "apps/v1",
    "Deployment",
    "deployments",
    { spec: { selector, template: template({ restartPolicy: "Never" }), replicas: -1 } },
    "a bad Deployment",
  ),
  of("apps/v1", "Deployment", "deployments", { spec: { template: template() } }, "a Deployment without a selector"),
  of(
    "apps/v1",
    "Deployment",
    "deployments",
    { spec: { selector: { matchLabels: { b: "c" } }, template: template() } },
    "a Deployment whose selector does not match its template",
  ),
  of(
    "apps/v1",
    "Deployment",
    "deployments",
    { spec: { selector, template: template(), strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } } },
    "a Deployment that cannot progress",
  ),
  of(
    "apps/v1",
    "Deployment",
    "deployments",
    { spec: { selector, template: template(), strategy: { type: "Recreate", rollingUpdate: {} } } },
    "a Deployment with fields of two strategies",
  ),
  of("apps/v1", "StatefulSet", "statefulsets", { spec: { selector, serviceName: "s", template: template() } }),
  ...[{}, { hostPort: 80 }, { hostPort: 81 }].map((more) => {
    const ports = [{ containerPort: 80, ...more }];
    const containers = [{ name: "c", image: "i", ports }];
    const initContainers = [{ name: "i", image: "i", ports: [{ containerPort: 90, hostPort: 91 }] }];
    const spec = { selector, serviceName: "s", template: template({ hostNetwork: true, containers, initContainers }) };
    const name = `a StatefulSet in the host network with the ports ${JSON.stringify(ports)}`;
    return of("apps/v1", "StatefulSet", "statefulsets", { spec }, name);
  }),
  of(
    "apps/v1",
    "StatefulSet",
    "statefulsets",
    { spec: { selector, template: template(), podManagementPolicy: "Other", updateStrategy: { type: "Other" } } },
    "a bad StatefulSet",
  ),
  of(
    "apps/v1",
    "StatefulSet",
    "statefulsets",
    {
      spec: {
        selector,
        serviceName: "s",
        template: template(),
        volumeClaimTemplates: [
          {
            metadata: { name: "d" },
            spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
          },
        ],
      },
    },
    "a StatefulSet with claims",
  ),
  of("apps/v1", "DaemonSet", "daemonsets", { spec: { selector, template: template() } }),
  of("apps/v1", "ReplicaSet", "replicasets", { spec: { selector, template: template() } }),
  of("batch/v1", "Job", "jobs", { spec: { template: template({ restartPolicy: "Never" }) } }),
  of("batch/v1", "Job", "jobs", { spec: { template: template() } }, "a Job with restartPolicy Always"),
  of(
    "batch/v1",
    "Job",
    "jobs",
    {
      spec: {
        template: template({ restartPolicy: "OnFailure" }),
        completions: 3,
        parallelism: 2,
        completionMode: "Indexed",
        backoffLimit: 0,
        ttlSecondsAfterFinished: 5,
        activeDeadlineSeconds: 60,
      },
    },
    "an indexed Job",
  ),
  of(
    "batch/v1",
    "Job",
    "jobs",
    {
      spec: {
        template: template({ restartPolicy: "Never" }),
        completionMode: "Indexed",
        parallelism: -1,
        backoffLimit: -1,
        activeDeadlineSeconds: -1,
      },
    },
    "a bad Job",
  ),
  of(
    "batch/v1",
    "Job",
    "jobs",
    {
      spec: {
        template: template({ restartPolicy: "Never" }),
        podFailurePolicy: {
          rules: [
            { action: "FailJob", onExitCodes: { operator: "In", values: [42] } },
            { action: "Ignore", onPodConditions: [{ type: "DisruptionTarget" }] },
          ],
        },
      },
    },
    "a Job with a pod failure policy",
  ),
  of(
    "batch/v1",
    "Job",
    "jobs",
    {
      spec: {
        suspend: true,
        template: template({
          restartPolicy: "Never",
          initContainers: [{ name: "s", image: "i", restartPolicy: "Always" }],
        }),
      },
    },
    "a suspended Job with a sidecar",
  ),
  of("batch/v1", "CronJob", "cronjobs", {
    spec: { schedule: "* * * * *", jobTemplate: { spec: { template: template({ restartPolicy: "Never" }) } } },
  }),
  of(
    "batch/v1",
    "CronJob",
    "cronjobs",
    { spec: { schedule: "never", jobTemplate: { spec: { template: template({ restartPolicy: "Never" }) } } } },
    "a CronJob without a schedule",
  ),
  of("v1", "Service", "services", { spec: { ports: [{ port: 80 }], selector: { app: "a" } } }),
  of(
    "v1",
    "Service",
    "services",
    { spec: { clusterIP: "None", ports: [{ port: 80, targetPort: "http", name: "x" }] } },
    "a headless Service",
  ),
  of("v1", "Service", "services", { spec: { type: "NodePort", ports: [{ port: 80 }] } }, "a NodePort Service"),
  of("v1", "Service", "services", { spec: { type: "LoadBalancer", ports: [{ port: 80 }] } }, "a LoadBalancer Service"),
  of(
    "v1",
    "Service",
    "services",
    { spec: { type: "ExternalName", externalName: "x.example" } },
    "an ExternalName Service",
  ),
  of("v1", "Service", "services", { spec: { ports: [{ port: 80 }, { port: 81 }] } }, "a Service with unnamed ports"),
  of(
    "v1",
    "Service",
    "services",
    { spec: { ports: [{ port: 0, protocol: "X", targetPort: 70000 }], sessionAffinity: "Y", type: "Z" } },
    "a bad Service",
  ),
  of("v1", "Service", "services", { spec: {} }, "a Service without ports"),
  of("v1", "PersistentVolumeClaim", "persistentvolumeclaims", {
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  }),
  of(
    "v1",
    "PersistentVolumeClaim",
    "persistentvolumeclaims",
    { spec: { accessModes: ["Other"], resources: {} } },
    "a bad claim",
  ),
  of("v1", "ServiceAccount", "serviceaccounts", {}),
  of("v1", "LimitRange", "limitranges", {
    spec: {
      limits: [{ type: "Container", default: { cpu: "1" }, defaultRequest: { cpu: "100m" }, max: { cpu: "2" } }],
    },
  }),
  of("v1", "ResourceQuota", "resourcequotas", { spec: { hard: { pods: "10", "requests.cpu": "4" } } }),
  of("v1", "ResourceQuota", "resourcequotas", { spec: { hard: { pods: "x" } } }, "a quota with an invalid quantity"),
  of("v1", "Endpoints", "endpoints", { subsets: [{ addresses: [{ ip: "1.2.3.4" }], ports: [{ port: 80 }] }] }),
  of("policy/v1", "PodDisruptionBudget", "poddisruptionbudgets", { spec: { minAvailable: 1, selector } }),
  of(
    "policy/v1",
    "PodDisruptionBudget",
    "poddisruptionbudgets",
    { spec: { minAvailable: 1, maxUnavailable: "50%" } },
    "a disruption budget with two limits",
  ),
  of("networking.k8s.io/v1", "NetworkPolicy", "networkpolicies", {
    spec: { podSelector: {}, ingress: [{ from: [{ namespaceSelector: {} }], ports: [{ port: 80 }] }] },
  }),
  of(
    "networking.k8s.io/v1",
    "NetworkPolicy",
    "networkpolicies",
    { spec: { podSelector: {}, policyTypes: ["Other"], egress: [{ to: [{ ipBlock: { cidr: "x" } }] }] } },
    "an invalid NetworkPolicy",
  ),
  of("networking.k8s.io/v1", "Ingress", "ingresses", {
    spec: {
      rules: [
        {
          host: "a.example",
          http: {
            paths: [{ path: "/", pathType: "Prefix", backend: { service: { name: "s", port: { number: 80 } } } }],
          },
        },
      ],
    },
  }),
  of("rbac.authorization.k8s.io/v1", "Role", "roles", {
    rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }],
  }),
  of(
    "rbac.authorization.k8s.io/v1",
    "Role",
    "roles",
    { rules: [{ apiGroups: [""], resources: ["pods"] }] },
    "a Role without verbs",
  ),
  of("rbac.authorization.k8s.io/v1", "RoleBinding", "rolebindings", {
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },
    subjects: [
      { kind: "User", name: "u" },
      { kind: "ServiceAccount", name: "s", namespace: "n" },
    ],
  }),
  of(
    "rbac.authorization.k8s.io/v1",
    "RoleBinding",
    "rolebindings",
    { roleRef: { apiGroup: "x", kind: "y", name: "" }, subjects: [{ kind: "Robot", name: "" }] },
    "a bad binding",
  ),
  of("coordination.k8s.io/v1", "Lease", "leases", {
    spec: {
      holderIdentity: "x",
      leaseDurationSeconds: 15,
      acquireTime: "2026-01-01T00:00:00.000000Z",
      renewTime: "2026-01-01T00:00:00.123456Z",
      leaseTransitions: 1,
    },
  }),
  of(
    "coordination.k8s.io/v1",
    "Lease",
    "leases",
    { spec: { leaseDurationSeconds: 0, leaseTransitions: -1 } },
    "a bad lease",
  ),
  of("autoscaling/v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers", {
    spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" }, maxReplicas: 3 },
  }),
  of("discovery.k8s.io/v1", "EndpointSlice", "endpointslices", {
    addressType: "IPv4",
    endpoints: [{ addresses: ["1.2.3.4"] }],
    ports: [{ port: 80 }],
  }),
  of("v1", "Event", "events", {
    involvedObject: { kind: "Pod", name: "p", namespace: "{ns}" },
    reason: "R",
    message: "m",
    type: "Normal",
  }),
  of("events.k8s.io/v1", "Event", "events", {
    regarding: { kind: "Pod", name: "p", namespace: "{ns}" },
    reason: "R",
    note: "n",
    type: "Normal",
    eventTime: "2026-01-01T00:00:00.000000Z",
    action: "A",
    reportingController: "example.com/c",
    reportingInstance: "i",
  }),
  of(
    "events.k8s.io/v1",
    "Event",
    "events",
    { regarding: { kind: "Pod", name: "p", namespace: "{ns}" }, reason: "R" },
    "an invalid event of events.k8s.io",
  ),
];

const jobs = inCase("jobs", "batch/v1");
const job = (spec: object): object => ({
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: meta,
  spec: { template: template({ restartPolicy: "Never" }), ...spec },
});
const deployments = inCase("deployments", "apps/v1");
const sets = inCase("statefulsets", "apps/v1");
const services = inCase("services");
const pods = inCase("pods");

const changes: readonly Case[] = [
  {
    name: "a Job can be suspended, but its template cannot change",
    steps: [
      post(jobs, job({ suspend: false })),
      patch("merge", `${jobs}/a`, { spec: { suspend: true } }),
      patch("merge", `${jobs}/a`, { spec: { completions: 5 } }),
      patch("strategic", `${jobs}/a`, {
        spec: { template: { spec: { containers: [{ name: "c", image: "other" }] } } },
      }),
      patch("merge", `${jobs}/a`, { spec: { parallelism: 4 } }),
    ],
  },
  {
    name: "a Deployment counts generations",
    steps: [
      post(deployments, deployment("d")),
      patch("merge", `${deployments}/d`, { spec: { replicas: 2 } }),
      patch("merge", `${deployments}/d`, { metadata: { labels: { x: "y" } } }),
      patch("merge", `${deployments}/d/status`, { status: { replicas: 1 } }),
    ],
  },
  {
    name: "a StatefulSet has few mutable fields",
    steps: [
      post(sets, {
        apiVersion: "apps/v1",
        kind: "StatefulSet",
        metadata: meta,
        spec: { selector, serviceName: "s", template: template() },
      }),
      patch("merge", `${sets}/a`, { spec: { serviceName: "t" } }),
      patch("merge", `${sets}/a`, { spec: { replicas: 3 } }),
    ],
  },
  {
    name: "a Service keeps its address",
    steps: [
      post(services, { apiVersion: "v1", kind: "Service", metadata: meta, spec: { ports: [{ port: 80 }] } }),
      patch("merge", `${services}/a`, { spec: { clusterIP: "10.0.0.77", clusterIPs: ["10.0.0.77"] } }),
      patch("merge", `${services}/a`, { spec: { type: "NodePort" } }),
      patch("merge", `${services}/a`, { spec: { clusterIP: "", clusterIPs: null } }),
    ],
  },
  {
    name: "a pod has few mutable fields",
    steps: [
      post(pods, pod("p")),
      patch("strategic", `${pods}/p`, { spec: { containers: [{ name: "main", image: "other" }] } }),
      patch("merge", `${pods}/p`, { spec: { nodeName: "n" } }),
      patch("strategic", `${pods}/p`, { spec: { containers: [{ name: "main", env: [{ name: "A", value: "b" }] }] } }),
    ],
  },
  {
    name: "the status of a pod is written separately",
    steps: [
      post(pods, pod("p")),
      patch("merge", `${pods}/p`, { status: { phase: "Running" } }),
      patch("strategic", `${pods}/p/status`, {
        status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
      }),
      patch("merge", `${pods}/p/status`, { spec: { nodeName: "n" }, metadata: { labels: { x: "y" } } }),
    ],
  },
  {
    name: "the type of a secret is immutable",
    steps: [
      post(inCase("secrets"), { apiVersion: "v1", kind: "Secret", metadata: meta }),
      put(`${inCase("secrets")}/a`, { apiVersion: "v1", kind: "Secret", metadata: meta, type: "other" }),
    ],
  },
  {
    name: "the roleRef of a binding is immutable",
    steps: [
      post(inCase("rolebindings", "rbac.authorization.k8s.io/v1"), {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "RoleBinding",
        metadata: meta,
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },
      }),
      patch("merge", `${inCase("rolebindings", "rbac.authorization.k8s.io/v1")}/a`, { roleRef: { name: "edit" } }),
    ],
  },
  {
    name: "an autoscaler in two versions",
    steps: [
      post(inCase("horizontalpodautoscalers", "autoscaling/v1"), {
        apiVersion: "autoscaling/v1",
        kind: "HorizontalPodAutoscaler",
        metadata: meta,
        spec: {
          maxReplicas: 2,
          scaleTargetRef: { kind: "Deployment", name: "d", apiVersion: "apps/v1" },
          targetCPUUtilizationPercentage: 50,
        },
      }),
      get(`${inCase("horizontalpodautoscalers", "autoscaling/v2")}/a`),
    ],
  },
];

const addresses = "/apis/networking.k8s.io/v1/ipaddresses";
const addressed = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "addressed" },
  spec: { clusterIP: "10.96.200.200", ports: [{ port: 80 }] },
};

export const kindCases: readonly Case[] = [
  {
    name: "the IPAddress object of a Service",
    steps: [
      post(inCase("services"), addressed),
      get(`${addresses}/10.96.200.200`),
      get(`${addresses}/10.96.200.200`, { headers: { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" } }),
      patch("merge", `${inCase("services")}/addressed`, { metadata: { labels: { a: "b" } } }),
      get(`${addresses}/10.96.200.200`),
      del(`${inCase("services")}/addressed`),
      get(`${addresses}/10.96.200.200`),
      post(inCase("services"), { ...addressed, spec: { clusterIP: "None", ports: [{ port: 80 }] } }),
      post(`${inCase("services")}?dryRun=All`, { ...addressed, metadata: { name: "dry" } }),
      get(`${addresses}/10.96.200.200`),
    ],
  },
  {
    name: "a Service that becomes headless",
    steps: [
      post(inCase("services"), { ...addressed, spec: { ...addressed.spec, clusterIP: "10.96.200.201" } }),
      patch("merge", `${inCase("services")}/addressed`, {
        spec: { type: "ExternalName", externalName: "example.com", clusterIP: null, clusterIPs: null },
      }),
      get(`${addresses}/10.96.200.201`),
    ],
  },
  { name: "the IPAddress object of the Service kubernetes", steps: [get(`${addresses}/10.96.0.1`)] },
  {
    name: "the identity lease of the server",
    steps: [
      get(
        "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases?labelSelector=apiserver.kubernetes.io%2Fidentity%3Dkube-apiserver",
      ),
    ],
  },
  ...containers.map(([what, fields]) => ({
    name: `a container with ${what}`,
    steps: [post(pods, pod("a", { containers: [{ name: "main", image: "registry.example/app:1", ...fields }] }))],
  })),
  ...podSpecs.map(([what, spec]) => ({ name: `a pod with ${what}`, steps: [post(pods, pod("a", spec))] })),
  ...samples.map(({ what, at, body }) => ({ name: what, steps: [post(at, body)] })),
  ...changes,
];
