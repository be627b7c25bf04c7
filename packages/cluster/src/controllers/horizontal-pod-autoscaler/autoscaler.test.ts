import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type Client, createClient } from "@homeostat/client";
import { FakeClock, type KubeObject, type ResourceType, SeededRandom } from "@homeostat/core";
import { CustomResourceDefinition } from "@homeostat/kubernetes/apiextensions/v1";
import { Deployment } from "@homeostat/kubernetes/apps/v1";
import {
  HorizontalPodAutoscaler,
  type HorizontalPodAutoscalerSpec,
  type MetricSpec,
} from "@homeostat/kubernetes/autoscaling/v2";
import { Event, Namespace, ServiceAccount } from "@homeostat/kubernetes/core/v1";
import { type Cluster, startCluster } from "../../start/start-cluster.ts";
import { advanceUntil } from "../../testing/advance-until.ts";

const cpu = (averageUtilization: number): MetricSpec => ({
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization } },
});

describe("the autoscaler of a cluster", () => {
  const clock = new FakeClock({ turnsMin: 2 });
  let cluster: Cluster;
  let client: Client;

  before(async () => {
    cluster = await startCluster({ clock, random: new SeededRandom(1) });
    client = createClient(cluster.transport(), { clock });
  });
  after(async () => {
    client.close();
    await cluster.stop();
  });

  /** Advances the clock until `look` returns a value, for at most ten minutes of virtual time. */
  const until = <T>(look: () => Promise<T | undefined | false>, what: string): Promise<T> =>
    advanceUntil({ clock, stepMs: 2_500, steps: 240 }, look, what);

  async function make(namespace: string, replicas: number): Promise<void> {
    await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
    await until(() => client.get(ServiceAccount, { namespace, name: "default" }), "the service account");
    const containers = [{ name: "web", image: "example.com/web:1", resources: { requests: { cpu: "100m" } } }];
    await client.create(Deployment, {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { namespace, name: "web" },
      spec: {
        replicas,
        selector: { matchLabels: { app: "web" } },
        template: { metadata: { labels: { app: "web" } }, spec: { containers } },
      },
    });
    await ready(namespace, replicas);
  }

  const ready = (namespace: string, replicas: number): Promise<unknown> =>
    until(async () => {
      const found = await client.get(Deployment, { namespace, name: "web" });
      return found?.spec?.replicas === replicas && (found.status?.readyReplicas ?? 0) === replicas;
    }, `${replicas} replicas in ${namespace}`);

  const scale = (namespace: string, spec: Partial<HorizontalPodAutoscalerSpec>): Promise<HorizontalPodAutoscaler> =>
    client.create(HorizontalPodAutoscaler, {
      apiVersion: "autoscaling/v2",
      kind: "HorizontalPodAutoscaler",
      metadata: { namespace, name: "web" },
      spec: {
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
        minReplicas: 1,
        maxReplicas: 10,
        ...spec,
      },
    });

  const statusOf = async (namespace: string): Promise<HorizontalPodAutoscaler["status"]> =>
    (await client.get(HorizontalPodAutoscaler, { namespace, name: "web" }))?.status;

  const conditionsOf = async (namespace: string): Promise<readonly string[]> =>
    ((await statusOf(namespace))?.conditions ?? []).map(({ type, status, reason }) => `${type}=${status} ${reason}`);

  const eventsOf = async (namespace: string): Promise<readonly string[]> =>
    (await client.list(Event, { namespace })).items
      .filter(({ involvedObject }) => involvedObject.kind === "HorizontalPodAutoscaler")
      .map(({ type, reason, message }) => `${type} ${reason} ${message}`);

  it("reports that it found no metrics in a cluster without metrics-server", async () => {
    await make("bare", 1);
    await scale("bare", { metrics: [cpu(50)] });

    const status = await until(async () => {
      const found = await statusOf("bare");
      return found?.conditions?.some(({ type }) => type === "ScalingActive") === true ? found : undefined;
    }, "the condition ScalingActive");

    assert.deepEqual(await conditionsOf("bare"), [
      "AbleToScale=True SucceededGetScale",
      "ScalingActive=False FailedGetResourceMetric",
    ]);
    assert.equal(
      status.conditions?.[1]?.message,
      "the HPA was unable to compute the replica count: failed to get cpu utilization: unable to get metrics for resource cpu: unable to fetch metrics from resource metrics API: the server could not find the requested resource (get pods.metrics.k8s.io)",
    );
    assert.deepEqual(
      (await eventsOf("bare")).map((event) => event.split(" ", 2)[1]),
      ["FailedGetResourceMetric", "FailedComputeMetricsReplicas"],
    );
  });

  it("adds replicas by CPU utilization, and removes them after the stabilization window", async () => {
    await make("web", 2);
    const pods = { namespace: "web", labels: { app: "web" } };
    cluster.metrics.setUsage(pods, { cpu: "100m", memory: "64Mi" });
    await scale("web", { metrics: [cpu(50)], behavior: { scaleDown: { stabilizationWindowSeconds: 60 } } });

    await ready("web", 4);
    cluster.metrics.setUsage(pods, { cpu: "50m", memory: "64Mi" });
    const status = await until(async () => {
      const found = await statusOf("web");
      return found?.currentMetrics?.[0]?.resource?.current.averageUtilization === 50 ? found : undefined;
    }, "the metric in the status");
    assert.deepEqual(status.currentMetrics, [
      { type: "Resource", resource: { name: "cpu", current: { averageUtilization: 50, averageValue: "50m" } } },
    ]);
    assert.deepEqual(await conditionsOf("web"), [
      "AbleToScale=True ReadyForNewScale",
      "ScalingActive=True ValidMetricFound",
      "ScalingLimited=False DesiredWithinRange",
    ]);
    assert.deepEqual(await eventsOf("web"), [
      "Normal SuccessfulRescale New size: 4; reason: cpu resource utilization (percentage of request) above target",
    ]);

    cluster.metrics.setUsage(pods, { cpu: "10m", memory: "64Mi" });
    const since = clock.now();
    await ready("web", 1);

    assert.ok(clock.now() - since >= 45_000, `removed after ${clock.now() - since} ms`);
    assert.ok(
      (await eventsOf("web")).includes("Normal SuccessfulRescale New size: 1; reason: All metrics below target"),
    );
  });

  it("scales by metrics of pods, of objects and of external systems; the highest count applies", async () => {
    await make("shop", 1);
    cluster.metrics.setPodMetric("requests", { namespace: "shop" }, "2");
    const object = { apiVersion: "apps/v1", kind: "Deployment", namespace: "shop", name: "web" };
    cluster.metrics.setObjectMetric("sessions", object, "30");
    cluster.metrics.setExternalMetric("queue", { namespace: "shop", labels: { topic: "a" } }, "20");
    cluster.metrics.setExternalMetric("queue", { namespace: "shop", labels: { topic: "b" } }, "100");
    const behavior = {
      scaleDown: { stabilizationWindowSeconds: 0 },
      scaleUp: { policies: [{ type: "Pods", value: 2, periodSeconds: 30 }] },
    };
    await scale("shop", {
      behavior,
      metrics: [
        { type: "Pods", pods: { metric: { name: "requests" }, target: { type: "AverageValue", averageValue: "1" } } },
        {
          type: "Object",
          object: {
            describedObject: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
            metric: { name: "sessions" },
            target: { type: "AverageValue", averageValue: "10" },
          },
        },
        {
          type: "External",
          external: {
            metric: { name: "queue", selector: { matchLabels: { topic: "a" } } },
            target: { type: "AverageValue", averageValue: "4" },
          },
        },
      ],
    });

    await ready("shop", 3);
    assert.ok((await conditionsOf("shop")).includes("ScalingLimited=True ScaleUpLimit"));
    cluster.metrics.setPodMetric("requests", { namespace: "shop" }, "500m");
    await ready("shop", 5);
    cluster.metrics.setExternalMetric("queue", { namespace: "shop", labels: { topic: "a" } }, "4");
    await ready("shop", 3);

    const status = await until(async () => {
      const found = await statusOf("shop");
      return found?.currentReplicas === 3 ? found : undefined;
    }, "the status");
    assert.deepEqual(
      status.currentMetrics?.map(({ type, pods, object: of, external }) => [type, pods ?? of ?? external]),
      [
        ["Pods", { metric: { name: "requests" }, current: { averageValue: "500m" } }],
        [
          "Object",
          {
            describedObject: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
            metric: { name: "sessions" },
            current: { averageValue: "10" },
          },
        ],
        [
          "External",
          {
            metric: { name: "queue", selector: { matchLabels: { topic: "a" } } },
            current: { averageValue: "1334m" },
          },
        ],
      ],
    );
    cluster.metrics.setExternalMetric("queue", { namespace: "shop", labels: { topic: "a" } }, undefined);
    await until(
      async () =>
        (await eventsOf("shop")).some((event) => event.includes("no metrics returned from external metrics API")),
      "the event of the removed metric",
    );
  });

  it("scales custom resources by their scale subresource", async () => {
    await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: "custom" } });
    const Widget: ResourceType<KubeObject & { spec: object; status?: object }> = {
      group: "example.com",
      version: "v1",
      kind: "Widget",
      plural: "widgets",
      scope: "Namespaced",
    };
    const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
    await client.create(CustomResourceDefinition, {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "widgets.example.com" },
      spec: {
        group: "example.com",
        scope: "Namespaced",
        names: { kind: "Widget", plural: "widgets", singular: "widget", listKind: "WidgetList" },
        versions: [
          {
            name: "v1",
            served: true,
            storage: true,
            schema: { openAPIV3Schema: open },
            subresources: {
              scale: {
                specReplicasPath: ".spec.replicas",
                statusReplicasPath: ".status.replicas",
                labelSelectorPath: ".status.selector",
              },
            },
          },
        ],
      },
    });
    const widget = await until(
      () =>
        client
          .create(Widget, {
            apiVersion: "example.com/v1",
            kind: "Widget",
            metadata: { namespace: "custom", name: "web" },
            spec: { replicas: 1 },
            status: { replicas: 1 },
          })
          .catch(() => undefined),
      "the kind",
    );
    assert.equal(widget.metadata.name, "web");

    await scale("custom", {
      scaleTargetRef: { apiVersion: "example.com/v1", kind: "Widget", name: "web" },
      minReplicas: 3,
    });
    await until(async () => {
      const found = await client.get(Widget, { namespace: "custom", name: "web" }, { subresource: "scale" });
      return found?.spec?.replicas === 3;
    }, "three replicas");
    await until(
      async () => (await conditionsOf("custom")).includes("ScalingActive=False InvalidSelector"),
      "the condition about the missing selector",
    );

    assert.ok(
      (await eventsOf("custom")).includes(
        "Normal SuccessfulRescale New size: 3; reason: Current number of replicas below Spec.MinReplicas",
      ),
    );
  });
});
