// Scenarios about disruption budgets. No controller manages the owners of the pods, so the scenario controls their state.

import {
  type KubeObject,
  NotFoundError,
  type OwnerReference,
  type ResourceType,
  TooManyRequestsError,
} from "@homeostat/core";
import { CustomResourceDefinition } from "@homeostat/kubernetes/apiextensions/v1";
import { ReplicaSet } from "@homeostat/kubernetes/apps/v1";
import { Job } from "@homeostat/kubernetes/batch/v1";
import { Pod, ServiceAccount } from "@homeostat/kubernetes/core/v1";
import { PodDisruptionBudget } from "@homeostat/kubernetes/policy/v1";
import { eventsAbout, pause, type Scenario, type Stage, until } from "./scenario.ts";

const labels = { app: "web" };

type BudgetSpec = NonNullable<PodDisruptionBudget["spec"]>;

function budget({ client, namespace }: Stage, name: string, spec: BudgetSpec): Promise<PodDisruptionBudget> {
  return client.create(PodDisruptionBudget, {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name, namespace },
    spec: { selector: { matchLabels: labels }, ...spec },
  });
}

async function pod({ client, namespace }: Stage, name: string, owner?: OwnerReference, isReady = true): Promise<void> {
  await client.create(Pod, {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace, labels, ...(owner === undefined ? {} : { ownerReferences: [owner] }) },
    spec: { containers: [{ name: "a", image: "busybox" }], nodeSelector: { no: "node" } },
  });
  const conditions = [{ type: "Ready", status: isReady ? "True" : "False" }];
  await client.patch(
    Pod,
    { name, namespace },
    { merge: { status: { phase: "Running", conditions } } },
    { subresource: "status" },
  );
}

const controlledBy = ({ apiVersion, kind, metadata: { name = "", uid = "" } }: KubeObject): OwnerReference => ({
  apiVersion,
  kind,
  name,
  uid,
  controller: true,
});

async function shown({ client, namespace }: Stage, name: string): Promise<unknown> {
  const found = await client.get(PodDisruptionBudget, { name, namespace });
  return found === undefined ? "gone" : { status: found.status, events: await eventsAbout(client, found) };
}

const settled = (
  stage: Stage,
  name: string,
  isRight: (status: NonNullable<PodDisruptionBudget["status"]>) => boolean,
): Promise<unknown> =>
  until(
    async () => {
      const found = await stage.client.get(PodDisruptionBudget, { name, namespace: stage.namespace });
      return found?.status !== undefined && isRight(found.status);
    },
    { what: `the status of ${name}` },
  );

const begin = ({ client, namespace }: Stage): Promise<unknown> =>
  until(async () => client.get(ServiceAccount, { name: "default", namespace }), { what: "the service account" });

/** Returns a minimal pod: the disruption controller needs nothing else. */
const numbers: Scenario = async (stage) => {
  await begin(stage);
  await budget(stage, "one", { minAvailable: 1 });
  await settled(stage, "one", ({ observedGeneration }) => observedGeneration === 1);
  await pause(300);
  const empty = await shown(stage, "one");
  await pod(stage, "a");
  await pod(stage, "b");
  await pod(stage, "c", undefined, false);
  await settled(stage, "one", ({ currentHealthy, expectedPods }) => currentHealthy === 2 && expectedPods === 3);
  await pause(300);
  const full = await shown(stage, "one");
  const { client, namespace } = stage;
  await client.patch(PodDisruptionBudget, { name: "one", namespace }, { merge: { spec: { minAvailable: 2 } } });
  await settled(stage, "one", ({ observedGeneration }) => observedGeneration === 2);
  const refused = await client
    .evict({ name: "a", namespace })
    .catch((error: unknown) => (error instanceof TooManyRequestsError ? error.causes : String(error)));
  const strict = await shown(stage, "one");
  await client.patch(PodDisruptionBudget, { name: "one", namespace }, { merge: { spec: { minAvailable: 1 } } });
  await settled(stage, "one", ({ disruptionsAllowed }) => disruptionsAllowed === 1);
  await client.evict({ name: "a", namespace });
  await settled(stage, "one", ({ expectedPods, disruptionsAllowed }) => expectedPods === 2 && disruptionsAllowed === 0);
  await pause(300);
  return { empty, full, refused, strict, evicted: await shown(stage, "one") };
};

/** Percentages: the size of the ReplicaSet counts, not the number of existing pods. */
const parts: Scenario = async (stage) => {
  await begin(stage);
  const { client, namespace } = stage;
  // Its own controller has nothing to do: the number of pods is as desired.
  const template = {
    metadata: { labels },
    spec: { containers: [{ name: "a", image: "busybox" }], nodeSelector: { no: "node" } },
  };
  const set = await client.create(ReplicaSet, {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { name: "web", namespace },
    spec: { replicas: 0, selector: { matchLabels: labels }, template },
  });
  const group = `${namespace}.example.com`;
  const Widgets: ResourceType<KubeObject & { spec: object }> = {
    group,
    version: "v1",
    kind: "Widget",
    plural: "widgets",
    scope: "Namespaced",
  };
  await client.create(CustomResourceDefinition, {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `widgets.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { kind: "Widget", plural: "widgets", singular: "widget", listKind: "WidgetList" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
          subresources: { scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" } },
        },
      ],
    },
  });
  const widget = await until(
    async () =>
      client
        .create(Widgets, {
          apiVersion: `${group}/v1`,
          kind: "Widget",
          metadata: { name: "w", namespace },
          spec: { replicas: 5 },
        })
        .catch((error: unknown) => (error instanceof NotFoundError ? undefined : Promise.reject(error))),
    { what: "the kind" },
  );
  // The disruption controller discovers the kind to read its scale.
  await pause(35_000);
  for (const name of ["a", "b", "c"]) await pod(stage, name, controlledBy(widget));
  await budget(stage, "third", { maxUnavailable: "30%" });
  await budget(stage, "half", { minAvailable: "50%" });
  await budget(stage, "two", { maxUnavailable: 2 });
  for (const name of ["third", "half", "two"]) await settled(stage, name, ({ expectedPods }) => expectedPods === 5);
  await pause(300);
  const whole = await Promise.all(["third", "half", "two"].map((name) => shown(stage, name)));
  await client.delete(ReplicaSet, { name: set.metadata.name ?? "", namespace });
  await client.delete(CustomResourceDefinition, { name: `widgets.${group}` });
  return whole;
};

/** Waits until the controller has observed the given number of pods: pods and budgets arrive by two watches in any order. */
async function known(stage: Stage, pods: number): Promise<void> {
  const { client, namespace } = stage;
  await budget(stage, "probe", { minAvailable: 0 });
  await settled(
    stage,
    "probe",
    ({ currentHealthy, observedGeneration }) => observedGeneration === 1 && currentHealthy === pods,
  );
  await client.delete(PodDisruptionBudget, { name: "probe", namespace });
}

/** Pods without a controller, and pods with a controller that has no scale. */
const strange: Scenario = async (stage) => {
  await begin(stage);
  const { client, namespace } = stage;
  await pod(stage, "a");
  await known(stage, 1);
  await budget(stage, "unmanaged", { maxUnavailable: 1 });
  await settled(stage, "unmanaged", ({ observedGeneration }) => observedGeneration === 1);
  await until(
    async () =>
      (
        await eventsAbout(client, {
          apiVersion: "policy/v1",
          kind: "PodDisruptionBudget",
          metadata: { name: "unmanaged", namespace },
        })
      ).length > 0,
    { what: "an event" },
  );
  await pause(300);
  const unmanaged = await shown(stage, "unmanaged");
  const job = await client.create(Job, {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "job", namespace },
    spec: {
      suspend: true,
      template: { spec: { restartPolicy: "Never", containers: [{ name: "a", image: "busybox" }] } },
    },
  });
  await client.delete(PodDisruptionBudget, { name: "unmanaged", namespace });
  await client.delete(Pod, { name: "a", namespace }, { gracePeriodSeconds: 0 });
  await known(stage, 0);
  // A suspended Job deletes its own pods; these only have its labels.
  await pod(stage, "b", {
    ...controlledBy(job),
    uid: "00000000-0000-4000-8000-000000000000",
    kind: "Nothing",
    apiVersion: "example.com/v1",
  });
  await known(stage, 1);
  await budget(stage, "failed", { maxUnavailable: "10%" });
  await settled(
    stage,
    "failed",
    ({ conditions }) => conditions?.some(({ reason }) => reason === "SyncFailed") ?? false,
  );
  await pause(300);
  return { unmanaged, unknown: await shown(stage, "failed") };
};

/** Scenarios by name. */
export const budgets: Readonly<Record<string, Scenario>> = {
  "a disruption budget with numbers": numbers,
  "a disruption budget with percentages": parts,
  "a disruption budget for pods without a scalable controller": strange,
};
