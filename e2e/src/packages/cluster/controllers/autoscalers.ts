// Scenarios about HorizontalPodAutoscalers. The metrics APIs are custom resources: their paths and fields are those of
// metrics-server and of an adapter of external metrics, and every API server can serve them.

import { AlreadyExistsError, type KubeObject, NotFoundError, type ResourceType } from "@homeostat/core";
import { CustomResourceDefinition } from "@homeostat/kubernetes/apiextensions/v1";
import {
  HorizontalPodAutoscaler,
  type HorizontalPodAutoscalerSpec,
  type MetricSpec,
} from "@homeostat/kubernetes/autoscaling/v2";
import { Pod, ReplicationController, ServiceAccount } from "@homeostat/kubernetes/core/v1";
import { eventsAbout, type Scenario, type Stage, until } from "./scenario.ts";

const labels = { app: "web" };
/** Requests of 100m in pods that no scheduler places. */
const template = {
  metadata: { labels },
  spec: {
    containers: [{ name: "web", image: "busybox", resources: { requests: { cpu: "100m" } } }],
    nodeSelector: { no: "node" },
  },
};

const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true } as const;

async function serve({ client }: Stage, type: ResourceType, hasScale = false): Promise<void> {
  const { group, version, kind, plural } = type;
  const scale = {
    specReplicasPath: ".spec.replicas",
    statusReplicasPath: ".status.replicas",
    labelSelectorPath: ".status.selector",
  };
  try {
    await client.create(CustomResourceDefinition, {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: {
        name: `${plural}.${group}`,
        annotations: { "api-approved.kubernetes.io": "unapproved, for tests only" },
      },
      spec: {
        group,
        scope: "Namespaced",
        names: { kind, plural, singular: `one-${plural}`, listKind: `${kind}List` },
        versions: [
          {
            name: version,
            served: true,
            storage: true,
            schema: { openAPIV3Schema: open },
            ...(hasScale ? { subresources: { scale } } : {}),
          },
        ],
      },
    });
  } catch (error) {
    if (!(error instanceof AlreadyExistsError)) throw error;
  }
}

function make(stage: Stage, type: ResourceType, name: string, fields: object): Promise<KubeObject> {
  const { group, version, kind } = type;
  const metadata = { name, namespace: stage.namespace, labels };
  return until(
    () =>
      stage.client
        .create(type, { ...fields, apiVersion: `${group}/${version}`, kind, metadata })
        .catch((error: unknown) => (error instanceof NotFoundError ? undefined : Promise.reject(error))),
    { what: `the kind ${kind}` },
  );
}

const PodMetrics: ResourceType = {
  group: "metrics.k8s.io",
  version: "v1beta1",
  kind: "PodMetrics",
  plural: "pods",
  scope: "Namespaced",
};

/** A kind with a scale whose pods exist without a controller. */
const Web: ResourceType = {
  group: "autoscaled.example.com",
  version: "v1",
  kind: "Web",
  plural: "webs",
  scope: "Namespaced",
};

async function autoscaler(stage: Stage, name: string, spec: Partial<HorizontalPodAutoscalerSpec>): Promise<void> {
  const { client, namespace } = stage;
  await client.create(HorizontalPodAutoscaler, {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name, namespace },
    spec: {
      scaleTargetRef: { apiVersion: "autoscaled.example.com/v1", kind: "Web", name },
      minReplicas: 1,
      maxReplicas: 10,
      ...spec,
    },
  });
}

/** Returns status and events of an autoscaler when it has a condition. */
async function settled(
  stage: Stage,
  name: string,
  reason: string,
): Promise<{ readonly status: HorizontalPodAutoscaler["status"]; readonly events: readonly unknown[] }> {
  const { client, namespace } = stage;
  const found = await until(
    async () => {
      const object = await client.get(HorizontalPodAutoscaler, { name, namespace });
      return object?.status?.conditions?.some((condition) => condition.reason === reason) === true ? object : undefined;
    },
    { what: `${reason} of ${name}` },
  );
  const events = await until(
    async () => {
      const all = await eventsAbout(client, found);
      return all.length > 0 ? all : undefined;
    },
    { what: `an event about ${name}` },
  );
  return { status: found.status, events };
}

async function pod({ client, namespace }: Stage, name: string): Promise<void> {
  await client.create(Pod, {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace, labels },
    spec: template.spec,
  });
  const long = "2026-01-01T00:00:00Z";
  const conditions = [{ type: "Ready", status: "True", lastTransitionTime: long }];
  const status = { phase: "Running" as const, startTime: long, conditions };
  await client.patch(Pod, { name, namespace }, { merge: { status } }, { subresource: "status" });
}

const begin = ({ client, namespace }: Stage): Promise<unknown> =>
  until(async () => client.get(ServiceAccount, { name: "default", namespace }), { what: "the service account" });

const cpu: MetricSpec = {
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } },
};

/** Resource and external metrics: growth, limits, and a broken metric beside a valid one. */
const metrics: Scenario = async (stage) => {
  await begin(stage);
  const { namespace } = stage;
  const queue: ResourceType = {
    group: "external.metrics.k8s.io",
    version: "v1beta1",
    kind: "ExternalMetricValue",
    plural: "queue-length",
    scope: "Namespaced",
  };
  await serve(stage, Web, true);
  await serve(stage, PodMetrics);
  await serve(stage, queue);
  const timestamp = new Date().toISOString().replace(/\.\d+/, "");
  for (const name of ["a", "b"]) {
    await pod(stage, name);
    const containers = [{ name: "web", usage: { cpu: "150m", memory: "64Mi" } }];
    await make(stage, PodMetrics, name, { timestamp, window: "30s", containers });
  }
  await make(stage, queue, "one", { metricName: "queue-length", metricLabels: {}, timestamp, value: "30" });
  const target = { spec: { replicas: 2 }, status: { replicas: 2, selector: "app=web" } };
  // Two autoscalers of the same pods would be ambiguous, so one has all metrics.
  await make(stage, Web, "busy", target);
  await autoscaler(stage, "busy", {
    metrics: [
      cpu,
      { type: "Resource", resource: { name: "memory", target: { type: "AverageValue", averageValue: "32Mi" } } },
      {
        type: "External",
        external: { metric: { name: "queue-length" }, target: { type: "AverageValue", averageValue: "10" } },
      },
      {
        type: "External",
        external: { metric: { name: "missing" }, target: { type: "Value", value: "10" } },
      },
    ],
  });
  const { status, events } = await settled(stage, "busy", "SucceededRescale");
  const scale = await stage.client.get(Web, { name: "busy", namespace }, { subresource: "scale" });
  // kube-controller-manager reads discovery every 30 seconds and does not know the new kind before.
  const known = events.filter((event) => !JSON.stringify(event).includes("no matches for kind"));
  return { scale: scale?.spec, status, events: known };
};

/** Targets that cannot be scaled: a missing kind, a missing object, no replicas, no selector, too many replicas. */
const targets: Scenario = async (stage) => {
  await begin(stage);
  const { client, namespace } = stage;
  const reference = { apiVersion: "v1", kind: "ReplicationController" };
  const controller = (name: string, replicas: number): Promise<unknown> =>
    client.create(ReplicationController, {
      apiVersion: "v1",
      kind: "ReplicationController",
      metadata: { name, namespace },
      spec: { replicas, selector: { app: name }, template: { ...template, metadata: { labels: { app: name } } } },
    });
  await controller("idle", 0);
  await autoscaler(stage, "unknown", {
    scaleTargetRef: { apiVersion: "nothing.example.com/v1", kind: "Nothing", name: "x" },
  });
  await autoscaler(stage, "absent", { scaleTargetRef: { ...reference, name: "absent" } });
  await autoscaler(stage, "idle", { scaleTargetRef: { ...reference, name: "idle" } });
  const unknown = await settled(stage, "unknown", "FailedGetScale");
  const absent = await settled(stage, "absent", "FailedGetScale");
  const idle = await until(
    async () => {
      const object = await client.get(HorizontalPodAutoscaler, { name: "idle", namespace });
      return object?.status?.conditions?.some(({ reason }) => reason === "ScalingDisabled") === true
        ? object
        : undefined;
    },
    { what: "the disabled autoscaler" },
  );
  return { unknown, absent, idle: idle.status };
};

/** Scenarios by name. */
export const autoscalers: Readonly<Record<string, Scenario>> = {
  "an autoscaler with metrics of pods and of an external system": metrics,
  "autoscalers whose targets cannot be scaled": targets,
};
