// Objects of many kinds in many states, for tables: each is created, and its status is written if it has one.
// Longer than other files: one table of generators, one for each kind.

import { Dice } from "./dice.ts";

/** An object to create: path, content and status. */
export interface Sample {
  /** Path of the collection. */
  readonly path: string;
  readonly body: Record<string, unknown>;
  readonly status?: Record<string, unknown>;
}

const namespace = "kinds-tables";
const old = ["2019-05-06T07:08:09Z", "2021-01-02T03:04:05Z", "2024-02-29T00:00:00Z"];

const core = (plural: string): string => `/api/v1/namespaces/${namespace}/${plural}`;
const named = (group: string, plural: string): string => `/apis/${group}/namespaces/${namespace}/${plural}`;

/** Returns the samples of one seed. */
export function samplesOf(seed: number, count: number, prefix: string): Sample[] {
  const dice = new Dice(seed);
  const samples: Sample[] = [];
  for (let index = 0; index < count; index += 1) {
    for (const [number, make] of makers.entries()) samples.push(make(dice, `${prefix}-${number}-${index}`));
  }
  return samples;
}

/** Namespace of the samples. */
export const samplesNamespace: string = namespace;

const container = (dice: Dice, name: string): Record<string, unknown> => ({
  name,
  image: dice.pick(["nginx", "redis:7", "example.com/a/b:v1"]),
});

const containers = (dice: Dice): Record<string, unknown>[] => [
  container(dice, "main"),
  ...dice.some(2, (index) => container(dice, `side${index}`)),
];

const template = (dice: Dice, labels: Record<string, string>): Record<string, unknown> => ({
  metadata: { labels },
  spec: { containers: containers(dice), ...dice.maybe(0.3, "nodeSelector", () => ({ disk: "ssd", zone: "a" })) },
});

const labelsOf = (dice: Dice): Record<string, string> => ({
  app: dice.pick(["a", "b"]),
  ...(dice.chance(0.4) ? { tier: "x" } : {}),
});

const selectorOf = (dice: Dice, labels: Record<string, string>): Record<string, unknown> => ({
  matchLabels: labels,
  ...dice.maybe(0.3, "matchExpressions", () => [
    { key: "app", operator: "In", values: ["b", "a"] },
    { key: "none", operator: "DoesNotExist" },
  ]),
});

function state(dice: Dice): Record<string, unknown> {
  const kind = dice.below(4);
  if (kind === 0)
    return {
      waiting: dice.maybe(0.8, "reason", () =>
        dice.pick(["CrashLoopBackOff", "ContainerCreating", "PodInitializing", "ErrImagePull"]),
      ),
    };
  if (kind === 1) return { running: { startedAt: dice.pick(old) } };
  if (kind === 2) {
    const exitCode = dice.pick([0, 0, 1, 137]);
    return {
      terminated: {
        exitCode,
        ...dice.maybe(0.6, "reason", () => (exitCode === 0 ? "Completed" : dice.pick(["Error", "OOMKilled"]))),
        ...dice.maybe(0.3, "signal", () => 9),
        finishedAt: dice.pick(old),
      },
    };
  }
  return {};
}

const statusOf = (dice: Dice, name: string): Record<string, unknown> => ({
  name,
  image: "nginx",
  imageID: "",
  ready: dice.chance(0.5),
  restartCount: dice.pick([0, 0, 1, 12]),
  ...dice.maybe(0.5, "started", () => dice.chance(0.7)),
  state: state(dice),
  ...dice.maybe(0.4, "lastState", () => ({ terminated: { exitCode: 1, finishedAt: dice.pick(old) } })),
});

function pod(dice: Dice, name: string): Sample {
  const all = containers(dice);
  const inits = dice.some(3, (index) => ({
    ...container(dice, `init${index}`),
    ...dice.maybe(0.4, "restartPolicy", () => "Always"),
  }));
  const gates = dice.some(2, (index) => ({ conditionType: `example.com/gate${index}` }));
  const types = ["Ready", "Initialized", "PodScheduled", ...gates.map((gate) => gate.conditionType)];
  return {
    path: core("pods"),
    body: {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, ...dice.maybe(0.1, "finalizers", () => ["example.com/keep"]) },
      spec: {
        containers: all,
        ...(inits.length > 0 ? { initContainers: inits } : {}),
        ...(gates.length > 0 ? { readinessGates: gates } : {}),
        ...dice.maybe(0.5, "nodeName", () => "node-1"),
      },
    },
    status: {
      phase: dice.pick(["Pending", "Running", "Succeeded", "Failed", "Unknown"]),
      ...dice.maybe(0.2, "reason", () => dice.pick(["Evicted", "NodeLost"])),
      ...dice.maybe(0.5, "podIPs", () => [{ ip: "10.1.2.3" }]),
      conditions: types
        .filter(() => dice.chance(0.6))
        .map((type) => ({
          type,
          status: dice.pick(["True", "False"]),
          ...(type === "PodScheduled" && dice.chance(0.3) ? { reason: "SchedulingGated" } : {}),
        })),
      containerStatuses: all.map((each) => statusOf(dice, String(each["name"]))),
      ...(inits.length > 0 ? { initContainerStatuses: inits.map((each) => statusOf(dice, String(each["name"]))) } : {}),
    },
  };
}

function workload(kind: string, plural: string): (dice: Dice, name: string) => Sample {
  return (dice, name) => {
    const labels = labelsOf(dice);
    const replicas = dice.below(4);
    return {
      path: named("apps/v1", plural),
      body: {
        apiVersion: "apps/v1",
        kind,
        metadata: { name },
        spec: {
          ...(kind === "DaemonSet" ? {} : { replicas }),
          ...(kind === "StatefulSet" ? { serviceName: "s" } : {}),
          selector: selectorOf(dice, labels),
          template: template(dice, labels),
        },
      },
      status:
        kind === "DaemonSet"
          ? {
              currentNumberScheduled: 1,
              numberMisscheduled: 0,
              desiredNumberScheduled: 3,
              numberReady: dice.below(3),
              updatedNumberScheduled: 1,
              numberAvailable: 2,
            }
          : { replicas: 3, readyReplicas: dice.below(3), updatedReplicas: 2, availableReplicas: dice.below(2) },
    };
  };
}

function job(dice: Dice, name: string): Sample {
  const type = dice.pick(["Complete", "Failed", "Suspended", "FailureTarget", "SuccessCriteriaMet", ""]);
  const spec = template(dice, {})["spec"] as object;
  const isDone = type === "Complete";
  return {
    path: named("batch/v1", "jobs"),
    body: {
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { name },
      spec: {
        template: { spec: { ...spec, restartPolicy: "Never" } },
        ...dice.maybe(0.5, "completions", () => 3),
        ...dice.maybe(0.5, "parallelism", () => 2),
      },
    },
    status: {
      ...(type === ""
        ? {}
        : {
            conditions: [
              ...(isDone ? [{ type: "SuccessCriteriaMet", status: "True" }] : []),
              ...(type === "Failed" ? [{ type: "FailureTarget", status: "True" }] : []),
              { type, status: "True", lastTransitionTime: old[1] },
            ],
          }),
      ...(isDone || type === "Failed" || dice.chance(0.5) ? { startTime: old[0] } : {}),
      ...(isDone ? { completionTime: old[1] } : {}),
      succeeded: dice.below(3),
    },
  };
}

function cronJob(dice: Dice, name: string): Sample {
  const spec = template(dice, {})["spec"] as object;
  return {
    path: named("batch/v1", "cronjobs"),
    body: {
      apiVersion: "batch/v1",
      kind: "CronJob",
      metadata: { name },
      spec: {
        schedule: "*/5 * * * *",
        ...dice.maybe(0.5, "timeZone", () => "Etc/UTC"),
        ...dice.maybe(0.5, "suspend", () => dice.chance(0.5)),
        jobTemplate: { spec: { template: { spec: { ...spec, restartPolicy: "OnFailure" } } } },
      },
    },
    status: dice.chance(0.5) ? { lastScheduleTime: old[0], active: [{ kind: "Job", name: "a", namespace }] } : {},
  };
}

function service(dice: Dice, name: string): Sample {
  const type = dice.pick(["ClusterIP", "NodePort", "LoadBalancer", "ExternalName"]);
  const isNone = type === "ClusterIP" && dice.chance(0.4);
  return {
    path: core("services"),
    body: {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name },
      spec: {
        type,
        ...(isNone ? { clusterIP: "None" } : {}),
        ...(type === "ExternalName" ? { externalName: "example.com" } : {}),
        ...dice.maybe(0.3, "externalIPs", () => ["192.0.2.1", "192.0.2.2"]),
        ...dice.maybe(0.7, "selector", () => labelsOf(dice)),
        ...(isNone && dice.chance(0.5)
          ? {}
          : {
              ports: [
                { name: "a", port: 80 },
                { name: "b", port: 53, protocol: "UDP" },
              ],
            }),
      },
    },
    ...(type === "LoadBalancer"
      ? {
          status: {
            loadBalancer: {
              ingress: dice.some(3, (index) =>
                index === 1 ? { hostname: "lb.example.com" } : { ip: `192.0.2.${9 - index}` },
              ),
            },
          },
        }
      : {}),
  };
}

function claim(dice: Dice, name: string): Sample {
  return {
    path: core("persistentvolumeclaims"),
    body: {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: {
        name,
        ...dice.maybe(0.2, "annotations", () => ({ "volume.beta.kubernetes.io/storage-class": "old" })),
      },
      spec: {
        accessModes: [dice.pick(["ReadWriteOnce", "ReadWriteMany", "ReadOnlyMany", "ReadWriteOncePod"])],
        resources: { requests: { storage: "1Gi" } },
        ...dice.maybe(0.5, "volumeName", () => "volume-1"),
        ...dice.maybe(0.5, "storageClassName", () => "fast"),
        ...dice.maybe(0.5, "volumeMode", () => "Block"),
      },
    },
    status: {
      phase: dice.pick(["Pending", "Bound", "Lost"]),
      accessModes: ["ReadWriteMany", "ReadWriteOnce"],
      capacity: { storage: "1536Mi" },
    },
  };
}

function volume(dice: Dice, name: string): Sample {
  return {
    path: "/api/v1/persistentvolumes",
    body: {
      apiVersion: "v1",
      kind: "PersistentVolume",
      metadata: { name: `kinds-${name}` },
      spec: {
        capacity: { storage: dice.pick(["1Gi", "1500M", "0.5Gi"]) },
        accessModes: ["ReadWriteOnce", "ReadOnlyMany"],
        hostPath: { path: "/tmp/x" },
        ...dice.maybe(0.5, "claimRef", () => ({ namespace: "a", name: "b" })),
        ...dice.maybe(0.5, "storageClassName", () => "fast"),
      },
    },
    status: { phase: dice.pick(["Available", "Bound", "Released"]), ...dice.maybe(0.4, "reason", () => "Because") },
  };
}

function node(dice: Dice, name: string): Sample {
  return {
    path: "/api/v1/nodes",
    body: {
      apiVersion: "v1",
      kind: "Node",
      metadata: {
        name: `kinds-${name}`,
        labels: {
          ...(dice.chance(0.5) ? { "node-role.kubernetes.io/worker": "" } : {}),
          ...(dice.chance(0.4) ? { "node-role.kubernetes.io/control-plane": "", "kubernetes.io/role": "lead" } : {}),
        },
      },
      spec: { ...dice.maybe(0.3, "unschedulable", () => true) },
    },
    status: {
      conditions: dice.chance(0.8) ? [{ type: "Ready", status: dice.pick(["True", "False", "Unknown"]) }] : [],
      addresses: dice.chance(0.6)
        ? [
            { type: "InternalIP", address: "10.0.0.1" },
            { type: "ExternalIP", address: "192.0.2.1" },
            { type: "InternalIP", address: "10.0.0.2" },
          ]
        : [],
      nodeInfo: dice.chance(0.5)
        ? {
            machineID: "",
            systemUUID: "",
            bootID: "",
            kernelVersion: "6.1",
            osImage: "Debian",
            containerRuntimeVersion: "containerd://2",
            kubeletVersion: "v1.36.3",
            kubeProxyVersion: "",
            operatingSystem: "linux",
            architecture: "amd64",
          }
        : {
            machineID: "",
            systemUUID: "",
            bootID: "",
            kernelVersion: "",
            osImage: "",
            containerRuntimeVersion: "",
            kubeletVersion: "",
            kubeProxyVersion: "",
            operatingSystem: "",
            architecture: "",
          },
    },
  };
}

function event(dice: Dice, name: string): Sample {
  const isNew = dice.chance(0.4);
  return isNew
    ? {
        path: named("events.k8s.io/v1", "events"),
        body: {
          apiVersion: "events.k8s.io/v1",
          kind: "Event",
          metadata: { name },
          eventTime: "2020-01-02T03:04:05.000006Z",
          type: "Normal",
          reason: "Started",
          action: "Start",
          note: " it began ",
          reportingController: "example.com/c",
          reportingInstance: "c-1",
          regarding: { kind: "Pod", name: "p", namespace, fieldPath: "spec.containers{a}" },
          ...dice.maybe(0.5, "series", () => ({ count: 4, lastObservedTime: "2022-01-02T03:04:05.000006Z" })),
        },
      }
    : {
        path: core("events"),
        body: {
          apiVersion: "v1",
          kind: "Event",
          metadata: { name },
          involvedObject: { kind: "ReplicaSet", namespace, ...dice.maybe(0.7, "name", () => "rs") },
          type: dice.pick(["Normal", "Warning"]),
          reason: "Because",
          message: "text\n",
          ...dice.maybe(0.7, "source", () => ({ component: "kubelet", ...dice.maybe(0.5, "host", () => "node-1") })),
          ...dice.maybe(0.5, "firstTimestamp", () => old[0]),
          ...dice.maybe(0.5, "lastTimestamp", () => old[1]),
          ...dice.maybe(0.5, "count", () => 7),
        },
      };
}

function autoscaler(dice: Dice, name: string): Sample {
  const metrics = dice.some(4, () => {
    const target = dice.pick([
      { type: "Utilization", averageUtilization: 70 },
      { type: "AverageValue", averageValue: "1500m" },
    ]);
    const value = dice.pick([
      { type: "Value", value: "2k" },
      { type: "AverageValue", averageValue: "30" },
    ]);
    return dice.pick<Record<string, unknown>>([
      { type: "Resource", resource: { name: "cpu", target } },
      { type: "ContainerResource", containerResource: { name: "memory", container: "main", target } },
      { type: "Pods", pods: { metric: { name: "p" }, target: { type: "AverageValue", averageValue: "10" } } },
      { type: "External", external: { metric: { name: "q" }, target: value } },
      {
        type: "Object",
        object: {
          metric: { name: "r" },
          describedObject: { kind: "Service", name: "s", apiVersion: "v1" },
          target: value,
        },
      },
    ]);
  });
  const current = { averageUtilization: 55, averageValue: "900m", value: "1k" };
  const fields: Record<string, string> = {
    Resource: "resource",
    ContainerResource: "containerResource",
    Pods: "pods",
    External: "external",
    Object: "object",
  };
  return {
    path: named("autoscaling/v2", "horizontalpodautoscalers"),
    body: {
      apiVersion: "autoscaling/v2",
      kind: "HorizontalPodAutoscaler",
      metadata: { name },
      spec: {
        scaleTargetRef: { kind: "Deployment", name: "d", apiVersion: "apps/v1" },
        maxReplicas: 5,
        ...(metrics.length > 0 ? { metrics } : {}),
        ...dice.maybe(0.5, "minReplicas", () => 2),
      },
    },
    status: {
      desiredReplicas: 2,
      currentReplicas: 1,
      currentMetrics: dice.chance(0.6)
        ? metrics.map((metric) => {
            const field = fields[String(metric["type"])] ?? "";
            const spec = metric[field] as Record<string, unknown>;
            const { target: _, ...rest } = spec;
            return {
              type: metric["type"],
              [field]: { ...rest, current: field === "pods" ? { averageValue: "9" } : current },
            };
          })
        : [],
    },
  };
}

const simple =
  (
    path: string,
    make: (dice: Dice, name: string) => Record<string, unknown>,
    status?: (dice: Dice) => Record<string, unknown>,
  ) =>
  (dice: Dice, name: string): Sample => ({
    path,
    body: make(dice, name),
    ...(status === undefined ? {} : { status: status(dice) }),
  });

const subjects = (dice: Dice): unknown[] =>
  dice.some(4, (index) =>
    dice.pick([
      { kind: "User", name: `u${index}`, apiGroup: "rbac.authorization.k8s.io" },
      { kind: "Group", name: `g${index}`, apiGroup: "rbac.authorization.k8s.io" },
      { kind: "ServiceAccount", name: `s${index}`, namespace: "ns" },
    ]),
  );

const makers: readonly ((dice: Dice, name: string) => Sample)[] = [
  pod,
  pod,
  pod,
  pod,
  workload("Deployment", "deployments"),
  workload("ReplicaSet", "replicasets"),
  workload("StatefulSet", "statefulsets"),
  workload("DaemonSet", "daemonsets"),
  job,
  job,
  cronJob,
  service,
  service,
  claim,
  volume,
  node,
  event,
  event,
  autoscaler,
  autoscaler,
  simple(core("configmaps"), (dice, name) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name },
    ...dice.maybe(0.7, "data", () => ({ a: "1", b: "2" })),
    ...dice.maybe(0.4, "binaryData", () => ({ c: "AAA=" })),
  })),
  simple(core("secrets"), (dice, name) => ({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name },
    ...dice.maybe(0.7, "stringData", () => ({ a: "1", b: "2" })),
    ...dice.maybe(0.4, "type", () => "example.com/x"),
  })),
  simple(core("serviceaccounts"), (_, name) => ({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name } })),
  simple(core("limitranges"), (_, name) => ({
    apiVersion: "v1",
    kind: "LimitRange",
    metadata: { name },
    spec: { limits: [{ type: "PersistentVolumeClaim", max: { storage: "9Ti" } }] },
  })),
  simple(
    // In its own namespace, where it blocks no other object.
    `/api/v1/namespaces/${namespace}-quota/resourcequotas`,
    (_, name) => ({
      apiVersion: "v1",
      kind: "ResourceQuota",
      metadata: { name },
      spec: { hard: { "count/tables.example.com": "5" } },
    }),
    (dice) => ({
      hard: { cpu: "2", "limits.cpu": "4", pods: "1k", "requests.memory": "1024Mi" },
      used: { cpu: "1500m", ...dice.maybe(0.5, "limits.cpu", () => "0.5") },
    }),
  ),
  simple(core("podtemplates"), (dice, name) => ({
    apiVersion: "v1",
    kind: "PodTemplate",
    metadata: { name },
    template: template(dice, labelsOf(dice)),
  })),
  simple(core("endpoints"), (dice, name) => ({
    apiVersion: "v1",
    kind: "Endpoints",
    metadata: { name },
    subsets: dice.some(2, () => ({
      addresses: [{ ip: "10.0.0.1" }, { ip: "10.0.0.2" }, ...dice.some(2, (index) => ({ ip: `2001:db8::${index}` }))],
      ...dice.maybe(0.7, "ports", () => [
        { name: "a", port: 80 },
        { name: "b", port: 81 },
      ]),
    })),
  })),
  simple(named("discovery.k8s.io/v1", "endpointslices"), (dice, name) => ({
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { name },
    addressType: "IPv4",
    endpoints: dice.some(5, (index) => ({ addresses: [`10.0.0.${index + 1}`] })),
    ports: dice.some(5, (index) => ({ name: `p${index}`, ...dice.maybe(0.7, "port", () => 80 + index) })),
  })),
  simple(
    named("policy/v1", "poddisruptionbudgets"),
    (dice, name) => ({
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      metadata: { name },
      spec: {
        selector: {},
        ...(dice.chance(0.5) ? { minAvailable: dice.pick([1, "50%"]) } : { maxUnavailable: dice.pick([0, "10%"]) }),
      },
    }),
    (dice) => ({ disruptionsAllowed: dice.below(3), currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 }),
  ),
  simple(named("networking.k8s.io/v1", "networkpolicies"), (dice, name) => ({
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { name },
    spec: { podSelector: dice.chance(0.3) ? {} : selectorOf(dice, labelsOf(dice)) },
  })),
  simple(
    named("networking.k8s.io/v1", "ingresses"),
    (dice, name) => ({
      apiVersion: "networking.k8s.io/v1",
      kind: "Ingress",
      metadata: { name },
      spec: {
        defaultBackend: { service: { name: "s", port: { number: 80 } } },
        ...dice.maybe(0.5, "ingressClassName", () => "c"),
        ...dice.maybe(0.5, "tls", () => [{ hosts: ["a.example.com"] }]),
        rules: dice.some(5, (index) => ({ ...dice.maybe(0.8, "host", () => `h${index}.example.com`) })),
      },
    }),
    (dice) => ({ loadBalancer: { ingress: dice.some(2, (index) => ({ ip: `192.0.2.${index + 1}` })) } }),
  ),
  simple("/apis/networking.k8s.io/v1/ingressclasses", (dice, name) => ({
    apiVersion: "networking.k8s.io/v1",
    kind: "IngressClass",
    metadata: {
      name: `kinds-${name}`,
      ...dice.maybe(0.4, "annotations", () => ({ "ingressclass.kubernetes.io/is-default-class": "true" })),
    },
    spec: {
      controller: "example.com/c",
      ...dice.maybe(0.6, "parameters", () => ({
        kind: "Thing",
        name: "t",
        ...dice.maybe(0.6, "apiGroup", () => "example.com"),
      })),
    },
  })),
  simple(named("rbac.authorization.k8s.io/v1", "roles"), (_, name) => ({
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "Role",
    metadata: { name },
    rules: [],
  })),
  simple(named("rbac.authorization.k8s.io/v1", "rolebindings"), (dice, name) => ({
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "RoleBinding",
    metadata: { name },
    roleRef: { kind: dice.pick(["Role", "ClusterRole"]), name: "r", apiGroup: "rbac.authorization.k8s.io" },
    subjects: subjects(dice),
  })),
  simple("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", (dice, name) => ({
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    metadata: { name: `kinds-${name}` },
    roleRef: { kind: "ClusterRole", name: "r", apiGroup: "rbac.authorization.k8s.io" },
    subjects: subjects(dice),
  })),
  simple(named("coordination.k8s.io/v1", "leases"), (dice, name) => ({
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: { name },
    spec: { ...dice.maybe(0.6, "holderIdentity", () => "me") },
  })),
  simple("/apis/storage.k8s.io/v1/storageclasses", (dice, name) => ({
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: {
      name: `kinds-${name}`,
      ...dice.maybe(0.3, "annotations", () => ({ "storageclass.beta.kubernetes.io/is-default-class": "true" })),
    },
    provisioner: "example.com/p",
    ...dice.maybe(0.5, "reclaimPolicy", () => "Retain"),
    ...dice.maybe(0.5, "volumeBindingMode", () => "WaitForFirstConsumer"),
    ...dice.maybe(0.5, "allowVolumeExpansion", () => true),
  })),
  simple("/apis/scheduling.k8s.io/v1/priorityclasses", (dice, name) => ({
    apiVersion: "scheduling.k8s.io/v1",
    kind: "PriorityClass",
    metadata: { name: `kinds-${name}` },
    value: dice.below(1000),
    ...dice.maybe(0.4, "preemptionPolicy", () => "Never"),
  })),
  simple("/apis/node.k8s.io/v1/runtimeclasses", (_, name) => ({
    apiVersion: "node.k8s.io/v1",
    kind: "RuntimeClass",
    metadata: { name: `kinds-${name}` },
    handler: "runc",
  })),
  simple(named("apps/v1", "controllerrevisions"), (dice, name) => ({
    apiVersion: "apps/v1",
    kind: "ControllerRevision",
    metadata: {
      name,
      ...dice.maybe(0.5, "ownerReferences", () => [
        { apiVersion: "apps/v1", kind: "StatefulSet", name: "s", uid: "u", controller: true },
      ]),
    },
    revision: dice.below(9),
    data: { a: 1 },
  })),
  simple("/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations", (dice, name) => ({
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata: { name: `kinds-${name}` },
    webhooks: dice.some(2, (index) => ({
      name: `a${index}.example.com`,
      sideEffects: "None",
      admissionReviewVersions: ["v1"],
      clientConfig: { url: "https://example.com/x" },
      rules: [],
    })),
  })),
];
