// One complete object of each kind. Generators remove or change parts of them. One table, and therefore longer than other files.

/** Path of a kind and an object with most of its fields. */
export interface CompleteObject {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly path: string;
  readonly body: Record<string, unknown>;
}

const namespace = "default";

const probe = {
  httpGet: { port: "http", path: "/healthz", scheme: "HTTPS", host: "h", httpHeaders: [{ name: "X-A", value: "b" }] },
  initialDelaySeconds: 3,
  timeoutSeconds: 2,
  periodSeconds: 5,
  successThreshold: 1,
  failureThreshold: 4,
};

const container = {
  name: "main",
  image: "example.com/app:v1",
  command: ["run"],
  args: ["--fast"],
  workingDir: "/work",
  ports: [
    { name: "http", containerPort: 8080, protocol: "TCP", hostPort: 8080 },
    { containerPort: 53, protocol: "UDP" },
  ],
  envFrom: [{ prefix: "P_", configMapRef: { name: "cm", optional: true } }, { secretRef: { name: "sec" } }],
  env: [
    { name: "A", value: "1" },
    { name: "B", valueFrom: { fieldRef: { fieldPath: "metadata.name", apiVersion: "v1" } } },
    { name: "C", valueFrom: { configMapKeyRef: { name: "cm", key: "k", optional: true } } },
    { name: "D", valueFrom: { secretKeyRef: { name: "sec", key: "k" } } },
    { name: "E", valueFrom: { resourceFieldRef: { resource: "limits.cpu", containerName: "main", divisor: "1" } } },
  ],
  resources: { limits: { cpu: "2", memory: "1Gi" }, requests: { cpu: "500m", memory: "512Mi" } },
  volumeMounts: [
    { name: "config", mountPath: "/etc/config", readOnly: true },
    { name: "data", mountPath: "/data", subPath: "x" },
  ],
  livenessProbe: probe,
  readinessProbe: { tcpSocket: { port: 8080 }, periodSeconds: 7 },
  startupProbe: { exec: { command: ["true"] }, failureThreshold: 9 },
  lifecycle: { preStop: { exec: { command: ["sleep", "1"] } }, postStart: { httpGet: { port: 8080 } } },
  terminationMessagePath: "/tmp/end",
  terminationMessagePolicy: "FallbackToLogsOnError",
  imagePullPolicy: "Always",
  securityContext: {
    runAsUser: 1000,
    runAsNonRoot: true,
    readOnlyRootFilesystem: true,
    allowPrivilegeEscalation: false,
    capabilities: { drop: ["ALL"], add: ["NET_BIND_SERVICE"] },
    seccompProfile: { type: "RuntimeDefault" },
  },
  stdin: true,
  tty: true,
};

export const podSpec = {
  initContainers: [
    { name: "init", image: "busybox", command: ["true"], volumeMounts: [{ name: "data", mountPath: "/data" }] },
    { name: "sidecar", image: "proxy:latest", restartPolicy: "Always", ports: [{ containerPort: 9000 }] },
  ],
  containers: [container, { name: "second", image: "redis" }],
  volumes: [
    {
      name: "config",
      configMap: { name: "cm", defaultMode: 256, optional: true, items: [{ key: "a", path: "a/b", mode: 420 }] },
    },
    { name: "data", emptyDir: { sizeLimit: "1Gi", medium: "Memory" } },
    { name: "secret", secret: { secretName: "sec", optional: false } },
    { name: "claim", persistentVolumeClaim: { claimName: "c", readOnly: true } },
    { name: "host", hostPath: { path: "/tmp", type: "Directory" } },
    { name: "down", downwardAPI: { items: [{ path: "labels", fieldRef: { fieldPath: "metadata.labels" } }] } },
    {
      name: "many",
      projected: {
        sources: [
          { serviceAccountToken: { path: "token", audience: "a", expirationSeconds: 7200 } },
          { configMap: { name: "cm2" } },
          { secret: { name: "s2" } },
        ],
      },
    },
    { name: "empty" },
    { name: "nfs", nfs: { server: "s", path: "/p", readOnly: true } },
    { name: "csi", csi: { driver: "d.example.com", fsType: "ext4", volumeAttributes: { a: "b" } } },
    {
      name: "ephemeral",
      ephemeral: {
        volumeClaimTemplate: {
          metadata: { labels: { a: "b" } },
          spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
        },
      },
    },
  ],
  restartPolicy: "Always",
  terminationGracePeriodSeconds: 5,
  activeDeadlineSeconds: 100,
  dnsPolicy: "Default",
  nodeSelector: { disk: "ssd" },
  serviceAccountName: "runner",
  automountServiceAccountToken: false,
  securityContext: { runAsUser: 1, fsGroup: 2, supplementalGroups: [3], sysctls: [{ name: "net.a", value: "1" }] },
  imagePullSecrets: [{ name: "pull" }],
  hostname: "h",
  subdomain: "sub",
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: "zone", operator: "In", values: ["a", "b"] }] }],
      },
      preferredDuringSchedulingIgnoredDuringExecution: [
        { weight: 5, preference: { matchExpressions: [{ key: "x", operator: "Exists" }] } },
      ],
    },
    podAntiAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        {
          weight: 100,
          podAffinityTerm: { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: { app: "a" } } },
        },
      ],
    },
  },
  schedulerName: "other",
  tolerations: [
    { key: "a", operator: "Equal", value: "b", effect: "NoSchedule" },
    { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute", tolerationSeconds: 9 },
  ],
  hostAliases: [{ ip: "127.0.0.1", hostnames: ["a.local"] }],
  dnsConfig: { nameservers: ["1.1.1.1"], searches: ["a.b"], options: [{ name: "ndots", value: "2" }] },
  readinessGates: [{ conditionType: "example.com/gate" }],
  enableServiceLinks: false,
  topologySpreadConstraints: [
    {
      maxSkew: 1,
      topologyKey: "zone",
      whenUnsatisfiable: "ScheduleAnyway",
      labelSelector: { matchLabels: { app: "a" } },
    },
  ],
};

const labels = { app: "a", tier: "web" };
const { activeDeadlineSeconds: _, ...longSpec } = podSpec;
const template = { metadata: { labels, annotations: { note: "x" } }, spec: longSpec };
const selector = {
  matchLabels: { app: "a" },
  matchExpressions: [{ key: "tier", operator: "In", values: ["web", "db"] }],
};
const meta = (name: string): Record<string, unknown> => ({
  name,
  labels: { a: "b" },
  annotations: { "example.com/note": "text" },
  finalizers: ["example.com/keep"],
  ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "o", uid: "u1", controller: true }],
});

const jobSpec = {
  parallelism: 2,
  completions: 4,
  completionMode: "Indexed",
  backoffLimit: 3,
  activeDeadlineSeconds: 60,
  ttlSecondsAfterFinished: 10,
  suspend: true,
  podReplacementPolicy: "Failed",
  podFailurePolicy: {
    rules: [
      { action: "FailJob", onExitCodes: { containerName: "main", operator: "In", values: [1, 2] } },
      { action: "Ignore", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] },
    ],
  },
  template: { metadata: { labels }, spec: { ...longSpec, restartPolicy: "Never" } },
};

const make = (
  apiVersion: string,
  kind: string,
  plural: string,
  body: Record<string, unknown>,
  isCluster = false,
): CompleteObject => {
  const [first = "", second] = apiVersion.split("/");
  const base = second === undefined ? `/api/${first}` : `/apis/${apiVersion}`;
  return {
    group: second === undefined ? "" : first,
    version: second ?? first,
    kind,
    path: `${base}${isCluster ? "" : `/namespaces/${namespace}`}/${plural}`,
    body: { apiVersion, kind, metadata: meta(`rich-${kind.toLowerCase()}`), ...body },
  };
};

const webhooks = [
  {
    name: "a.example.com",
    clientConfig: { service: { name: "s", namespace: "n", path: "/x", port: 8443 } },
    rules: [
      {
        operations: ["CREATE"],
        apiGroups: ["apps"],
        apiVersions: ["v1"],
        resources: ["deployments"],
        scope: "Namespaced",
      },
    ],
    failurePolicy: "Ignore",
    matchPolicy: "Exact",
    namespaceSelector: { matchLabels: { a: "b" } },
    objectSelector: { matchExpressions: [{ key: "a", operator: "Exists" }] },
    sideEffects: "None",
    timeoutSeconds: 5,
    admissionReviewVersions: ["v1"],
    matchConditions: [{ name: "c", expression: "true" }],
  },
];

/** The complete objects. */
export const completeObjects: readonly CompleteObject[] = [
  make("v1", "Pod", "pods", { spec: podSpec }),
  make("apps/v1", "Deployment", "deployments", {
    spec: {
      replicas: 3,
      selector,
      template,
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: "30%", maxUnavailable: 1 } },
      minReadySeconds: 5,
      revisionHistoryLimit: 2,
      paused: true,
      progressDeadlineSeconds: 100,
    },
  }),
  make("apps/v1", "ReplicaSet", "replicasets", { spec: { replicas: 2, minReadySeconds: 1, selector, template } }),
  make("apps/v1", "DaemonSet", "daemonsets", {
    spec: {
      selector,
      template,
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: "10%" } },
      minReadySeconds: 3,
      revisionHistoryLimit: 3,
    },
  }),
  make("apps/v1", "StatefulSet", "statefulsets", {
    spec: {
      replicas: 2,
      serviceName: "svc",
      selector,
      template,
      podManagementPolicy: "Parallel",
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 1 } },
      revisionHistoryLimit: 4,
      minReadySeconds: 2,
      ordinals: { start: 1 },
      persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete", whenScaled: "Retain" },
      volumeClaimTemplates: [
        {
          metadata: { name: "store" },
          spec: {
            accessModes: ["ReadWriteOnce"],
            storageClassName: "fast",
            resources: { requests: { storage: "1Gi" } },
          },
        },
      ],
    },
  }),
  make("batch/v1", "Job", "jobs", { spec: jobSpec }),
  make("batch/v1", "CronJob", "cronjobs", {
    spec: {
      schedule: "*/5 * * * *",
      timeZone: "Etc/UTC",
      startingDeadlineSeconds: 30,
      concurrencyPolicy: "Forbid",
      suspend: true,
      successfulJobsHistoryLimit: 1,
      failedJobsHistoryLimit: 2,
      jobTemplate: { metadata: { labels: { a: "b" } }, spec: jobSpec },
    },
  }),
  make("v1", "Service", "services", {
    spec: {
      type: "ClusterIP",
      clusterIP: "None",
      selector: { app: "a" },
      ports: [
        { name: "http", port: 80, targetPort: "http", protocol: "TCP", appProtocol: "http" },
        { name: "dns", port: 53, protocol: "UDP", targetPort: 5353 },
      ],
      sessionAffinity: "ClientIP",
      sessionAffinityConfig: { clientIP: { timeoutSeconds: 60 } },
      publishNotReadyAddresses: true,
      internalTrafficPolicy: "Local",
      externalIPs: ["192.0.2.1"],
    },
  }),
  make("v1", "ConfigMap", "configmaps", { data: { a: "1", "b.c": "2" }, binaryData: { d: "AAA=" }, immutable: true }),
  make("v1", "Secret", "secrets", {
    type: "example.com/t",
    data: { a: "AAA=" },
    stringData: { b: "text" },
    immutable: true,
  }),
  make("v1", "PersistentVolumeClaim", "persistentvolumeclaims", {
    spec: {
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: "1Gi" }, limits: { storage: "2Gi" } },
      storageClassName: "fast",
      volumeMode: "Block",
      selector: { matchLabels: { a: "b" } },
      volumeName: "v",
    },
  }),
  make(
    "v1",
    "PersistentVolume",
    "persistentvolumes",
    {
      spec: {
        capacity: { storage: "1Gi" },
        accessModes: ["ReadWriteOnce"],
        hostPath: { path: "/tmp/v", type: "DirectoryOrCreate" },
        persistentVolumeReclaimPolicy: "Delete",
        storageClassName: "fast",
        volumeMode: "Filesystem",
        mountOptions: ["ro"],
      },
    },
    true,
  ),
  make("v1", "Namespace", "namespaces", { spec: { finalizers: ["example.com/f"] } }, true),
  make("v1", "ServiceAccount", "serviceaccounts", {
    secrets: [{ name: "s" }],
    imagePullSecrets: [{ name: "p" }],
    automountServiceAccountToken: false,
  }),
  make("v1", "ResourceQuota", "resourcequotas", {
    spec: {
      hard: { pods: "5", "requests.cpu": "1", "count/jobs.batch": "3" },
      scopes: ["NotTerminating"],
    },
  }),
  make("v1", "LimitRange", "limitranges", {
    spec: {
      limits: [
        {
          type: "Container",
          max: { cpu: "2" },
          min: { cpu: "100m", memory: "1Mi" },
          default: { cpu: "1", memory: "2Mi" },
          defaultRequest: { cpu: "200m" },
          maxLimitRequestRatio: { cpu: "10" },
        },
        { type: "Pod", max: { cpu: "4" }, min: { cpu: "1m" } },
      ],
    },
  }),
  make("networking.k8s.io/v1", "NetworkPolicy", "networkpolicies", {
    spec: {
      podSelector: { matchLabels: { a: "b" } },
      policyTypes: ["Ingress", "Egress"],
      ingress: [
        {
          from: [
            { podSelector: { matchLabels: { c: "d" } }, namespaceSelector: {} },
            { ipBlock: { cidr: "10.0.0.0/8", except: ["10.1.0.0/16"] } },
          ],
          ports: [{ protocol: "TCP", port: 80, endPort: 90 }, { port: "http" }],
        },
      ],
      egress: [{ to: [{ namespaceSelector: { matchLabels: { e: "f" } } }], ports: [{ protocol: "UDP", port: 53 }] }],
    },
  }),
  make("networking.k8s.io/v1", "Ingress", "ingresses", {
    spec: {
      ingressClassName: "c",
      defaultBackend: { service: { name: "s", port: { number: 80 } } },
      tls: [{ hosts: ["a.example.com"], secretName: "t" }],
      rules: [
        {
          host: "a.example.com",
          http: {
            paths: [{ path: "/x", pathType: "Prefix", backend: { service: { name: "s", port: { name: "http" } } } }],
          },
        },
      ],
    },
  }),
  make(
    "networking.k8s.io/v1",
    "IngressClass",
    "ingressclasses",
    {
      spec: {
        controller: "example.com/c",
        parameters: { apiGroup: "example.com", kind: "K", name: "n", scope: "Cluster" },
      },
    },
    true,
  ),
  make("rbac.authorization.k8s.io/v1", "Role", "roles", {
    rules: [{ apiGroups: ["apps"], resources: ["deployments"], verbs: ["get", "list"], resourceNames: ["x"] }],
  }),
  make(
    "rbac.authorization.k8s.io/v1",
    "ClusterRole",
    "clusterroles",
    {
      rules: [{ nonResourceURLs: ["/healthz"], verbs: ["get"] }],
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: "b" } }] },
    },
    true,
  ),
  make("rbac.authorization.k8s.io/v1", "RoleBinding", "rolebindings", {
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "r" },
    subjects: [
      { kind: "User", name: "u", apiGroup: "rbac.authorization.k8s.io" },
      { kind: "ServiceAccount", name: "s", namespace: "n" },
    ],
  }),
  make(
    "rbac.authorization.k8s.io/v1",
    "ClusterRoleBinding",
    "clusterrolebindings",
    {
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "r" },
      subjects: [{ kind: "Group", name: "g", apiGroup: "rbac.authorization.k8s.io" }],
    },
    true,
  ),
  make("policy/v1", "PodDisruptionBudget", "poddisruptionbudgets", {
    spec: { minAvailable: "50%", selector, unhealthyPodEvictionPolicy: "AlwaysAllow" },
  }),
  make("autoscaling/v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers", {
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" },
      minReplicas: 2,
      maxReplicas: 5,
      metrics: [
        { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } },
      ],
      behavior: {
        scaleUp: {
          stabilizationWindowSeconds: 5,
          selectPolicy: "Min",
          policies: [{ type: "Pods", value: 1, periodSeconds: 30 }],
        },
        scaleDown: { selectPolicy: "Disabled" },
      },
    },
  }),
  make("coordination.k8s.io/v1", "Lease", "leases", {
    spec: {
      holderIdentity: "me",
      leaseDurationSeconds: 15,
      acquireTime: "2026-01-01T00:00:00.000000Z",
      renewTime: "2026-01-01T00:00:01.000000Z",
      leaseTransitions: 1,
    },
  }),
  make("discovery.k8s.io/v1", "EndpointSlice", "endpointslices", {
    addressType: "IPv4",
    endpoints: [{ addresses: ["10.0.0.1"], conditions: { ready: true }, hostname: "h", nodeName: "n", zone: "z" }],
    ports: [{ name: "http", port: 80, protocol: "TCP", appProtocol: "http" }, { name: "b" }],
  }),
  make("v1", "Endpoints", "endpoints", {
    subsets: [{ addresses: [{ ip: "10.0.0.1", hostname: "h" }], ports: [{ name: "a", port: 80, protocol: "TCP" }] }],
  }),
  make(
    "storage.k8s.io/v1",
    "StorageClass",
    "storageclasses",
    {
      provisioner: "example.com/p",
      parameters: { a: "b" },
      reclaimPolicy: "Retain",
      mountOptions: ["ro"],
      allowVolumeExpansion: true,
      volumeBindingMode: "WaitForFirstConsumer",
    },
    true,
  ),
  make(
    "scheduling.k8s.io/v1",
    "PriorityClass",
    "priorityclasses",
    { value: 10, globalDefault: true, description: "text", preemptionPolicy: "Never" },
    true,
  ),
  make(
    "node.k8s.io/v1",
    "RuntimeClass",
    "runtimeclasses",
    { handler: "runc", overhead: { podFixed: { cpu: "1m" } } },
    true,
  ),
  make(
    "admissionregistration.k8s.io/v1",
    "ValidatingWebhookConfiguration",
    "validatingwebhookconfigurations",
    { webhooks },
    true,
  ),
  make(
    "admissionregistration.k8s.io/v1",
    "MutatingWebhookConfiguration",
    "mutatingwebhookconfigurations",
    { webhooks: webhooks.map((webhook) => ({ ...webhook, reinvocationPolicy: "IfNeeded" })) },
    true,
  ),
];
