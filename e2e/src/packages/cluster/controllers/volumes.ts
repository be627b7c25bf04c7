// Scenarios about PersistentVolumeClaims and PersistentVolumes.

import type { Client } from "@homeostat/client";
import { Node, PersistentVolume, PersistentVolumeClaim, Pod, ServiceAccount } from "@homeostat/kubernetes/core/v1";
import { StorageClass } from "@homeostat/kubernetes/storage/v1";
import { eventsAbout, pause, type Scenario, type Stage, until } from "./scenario.ts";

type ClaimSpec = NonNullable<PersistentVolumeClaim["spec"]>;
type VolumeSpec = NonNullable<PersistentVolume["spec"]>;

const claim = ({ namespace }: Pick<Stage, "namespace">, name: string, spec: ClaimSpec = {}): PersistentVolumeClaim => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name, namespace },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, ...spec },
});

const volume = (name: string, spec: VolumeSpec = {}): PersistentVolume => ({
  apiVersion: "v1",
  kind: "PersistentVolume",
  metadata: { name },
  spec: {
    capacity: { storage: "1Gi" },
    accessModes: ["ReadWriteOnce"],
    persistentVolumeReclaimPolicy: "Retain",
    hostPath: { path: "/srv/data" },
    ...spec,
  },
});

const storageClass = (name: string, provisioner: string, more: Partial<StorageClass> = {}): StorageClass => ({
  apiVersion: "storage.k8s.io/v1",
  kind: "StorageClass",
  metadata: { name },
  provisioner,
  ...more,
});

/** Returns the fields of a claim that controllers write. */
async function shownClaim(client: Client, namespace: string, name: string): Promise<unknown> {
  const found = await client.get(PersistentVolumeClaim, { namespace, name });
  if (found === undefined) return "gone";
  const { annotations, finalizers, deletionTimestamp } = found.metadata;
  const events = await eventsAbout(client, found);
  return {
    annotations,
    finalizers,
    isGoing: deletionTimestamp !== undefined,
    volume: found.spec?.volumeName,
    class: found.spec?.storageClassName,
    status: found.status,
    events,
  };
}

async function shownVolume(client: Client, name: string): Promise<unknown> {
  const found = await client.get(PersistentVolume, { name });
  if (found === undefined) return "gone";
  const { annotations, finalizers, deletionTimestamp } = found.metadata;
  const { lastPhaseTransitionTime: _, ...status } = found.status ?? {};
  return { annotations, finalizers, isGoing: deletionTimestamp !== undefined, claimRef: found.spec?.claimRef, status };
}

const phase = (client: Client, namespace: string, name: string, expected: string): Promise<boolean> =>
  until(async () => (await client.get(PersistentVolumeClaim, { namespace, name }))?.status?.phase === expected, {
    what: `${name} to be ${expected}`,
  });

const volumePhase = (client: Client, name: string, expected: string): Promise<boolean> =>
  until(async () => (await client.get(PersistentVolume, { name }))?.status?.phase === expected, {
    what: `${name} to be ${expected}`,
  });

const untilEvent = (client: Client, about: PersistentVolumeClaim): Promise<unknown> =>
  until(async () => (await eventsAbout(client, about)).length > 0, { what: `an event about ${about.metadata.name}` });

/** A claim is bound to the smallest volume that fits; its deletion releases the volume. */
const binding: Scenario = async (stage) => {
  const { client, namespace } = stage;
  const storageClassName = `${namespace}-manual`;
  const names = ["large", "fitting", "small", "other-mode"].map((name) => `${namespace}-${name}`);
  const [large = "", fitting = "", small = "", other = ""] = names;
  await client.create(PersistentVolume, volume(large, { storageClassName, capacity: { storage: "10Gi" } }));
  await client.create(PersistentVolume, volume(small, { storageClassName, capacity: { storage: "1Mi" } }));
  await client.create(PersistentVolume, volume(other, { storageClassName, accessModes: ["ReadOnlyMany"] }));
  await client.create(PersistentVolume, volume(fitting, { storageClassName, capacity: { storage: "2Gi" } }));
  for (const name of names) await volumePhase(client, name, "Available");
  await client.create(PersistentVolumeClaim, claim(stage, "data", { storageClassName }));
  await phase(client, namespace, "data", "Bound");
  await pause(500);
  const bound = [
    await shownClaim(client, namespace, "data"),
    ...(await Promise.all(names.map((name) => shownVolume(client, name)))),
  ];
  await client.delete(PersistentVolumeClaim, { name: "data", namespace });
  await volumePhase(client, fitting, "Released");
  await pause(500);
  const released = [await shownClaim(client, namespace, "data"), await shownVolume(client, fitting)];
  for (const name of names) await client.delete(PersistentVolume, { name });
  await until(async () => (await client.get(PersistentVolume, { name: fitting })) === undefined, {
    what: "the deletion of the volume",
  });
  return { bound, released };
};

/** Volumes with a claimRef, claims with a volumeName, and a pair that does not match. */
const chosen: Scenario = async (stage) => {
  const { client, namespace } = stage;
  const storageClassName = `${namespace}-chosen`;
  const [reserved, named, tiny, taken] = ["reserved", "named", "tiny", "taken"].map((name) => `${namespace}-${name}`);
  const one = { name: "one", namespace };
  await client.create(PersistentVolume, volume(reserved ?? "", { storageClassName, claimRef: one }));
  await client.create(PersistentVolume, volume(named ?? "", { storageClassName }));
  await client.create(PersistentVolume, volume(tiny ?? "", { storageClassName, capacity: { storage: "1Mi" } }));
  await client.create(
    PersistentVolume,
    volume(taken ?? "", { storageClassName, claimRef: { name: "somebody", namespace } }),
  );
  for (const name of [reserved, named, tiny, taken]) await volumePhase(client, name ?? "", "Available");
  await client.create(PersistentVolumeClaim, claim(stage, "one", { storageClassName }));
  await client.create(PersistentVolumeClaim, claim(stage, "two", { storageClassName, volumeName: named ?? "" }));
  const three = await client.create(
    PersistentVolumeClaim,
    claim(stage, "three", { storageClassName, volumeName: tiny ?? "" }),
  );
  const four = await client.create(
    PersistentVolumeClaim,
    claim(stage, "four", { storageClassName, volumeName: taken ?? "" }),
  );
  await client.create(PersistentVolumeClaim, claim(stage, "five", { storageClassName, volumeName: "absent" }));
  await phase(client, namespace, "one", "Bound");
  await phase(client, namespace, "two", "Bound");
  await untilEvent(client, three);
  await untilEvent(client, four);
  await pause(1000);
  const claims = await Promise.all(
    ["one", "two", "three", "four", "five"].map((name) => shownClaim(client, namespace, name)),
  );
  const volumes = await Promise.all([reserved, named, tiny, taken].map((name) => shownVolume(client, name ?? "")));
  for (const name of [reserved, named]) {
    await client.delete(PersistentVolume, { name: name ?? "" });
    await client.patch(PersistentVolume, { name: name ?? "" }, { merge: { metadata: { finalizers: null } } });
  }
  await phase(client, namespace, "one", "Lost");
  await untilEvent(client, claim(stage, "one"));
  const lost = await shownClaim(client, namespace, "one");
  for (const name of [tiny, taken]) await client.delete(PersistentVolume, { name: name ?? "" });
  return { claims, volumes, lost };
};

/** Pending claims and their events. */
const pending: Scenario = async (stage) => {
  const { client, namespace } = stage;
  const external = `${namespace}-external`;
  const later = `${namespace}-later`;
  const none = `${namespace}-none`;
  await client.create(StorageClass, storageClass(external, "example.com/missing"));
  await client.create(
    StorageClass,
    storageClass(later, "example.com/missing", { volumeBindingMode: "WaitForFirstConsumer" }),
  );
  await client.create(StorageClass, storageClass(none, "kubernetes.io/no-provisioner"));
  await pause(500);
  const expected: Record<string, ClaimSpec> = {
    classless: { storageClassName: "" },
    "unknown-class": { storageClassName: "no-such-class" },
    external: { storageClassName: external },
    later: { storageClassName: later },
    used: { storageClassName: later },
    none: { storageClassName: none },
  };
  const labels = { a: "b" };
  await until(async () => client.get(ServiceAccount, { name: "default", namespace }), { what: "the service account" });
  await client.create(Pod, {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "user", namespace, labels },
    spec: {
      containers: [{ name: "a", image: "busybox" }],
      nodeSelector: { no: "node" },
      volumes: [{ name: "v", persistentVolumeClaim: { claimName: "used" } }],
    },
  });
  await pause(500);
  for (const [name, spec] of Object.entries(expected)) {
    await untilEvent(client, await client.create(PersistentVolumeClaim, claim(stage, name, spec)));
  }
  await pause(1000);
  const seen = await Promise.all(Object.keys(expected).map((name) => shownClaim(client, namespace, name)));
  for (const name of [external, later, none]) await client.delete(StorageClass, { name });
  return seen;
};

/** A claim in use is kept until the pod is deleted; a bound volume until the claim is deleted. */
const protection: Scenario = async (stage) => {
  const { client, namespace } = stage;
  const storageClassName = `${namespace}-protected`;
  const name = `${namespace}-protected`;
  const node = `${namespace}-node`;
  const taints = [{ key: "example.com/no", effect: "NoSchedule" as const }];
  await client.create(Node, { apiVersion: "v1", kind: "Node", metadata: { name: node }, spec: { taints } });
  await until(async () => client.get(ServiceAccount, { name: "default", namespace }), { what: "the service account" });
  await client.create(PersistentVolume, volume(name, { storageClassName }));
  await volumePhase(client, name, "Available");
  await client.create(PersistentVolumeClaim, claim(stage, "data", { storageClassName }));
  await phase(client, namespace, "data", "Bound");
  await client.create(Pod, {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "user", namespace },
    spec: {
      containers: [{ name: "a", image: "busybox" }],
      nodeName: node,
      volumes: [{ name: "v", persistentVolumeClaim: { claimName: "data" } }],
    },
  });
  await pause(500);
  await client.delete(PersistentVolumeClaim, { name: "data", namespace });
  await client.delete(PersistentVolume, { name });
  await pause(2000);
  const held = [await shownClaim(client, namespace, "data"), await shownVolume(client, name)];
  await client.delete(Pod, { name: "user", namespace }, { gracePeriodSeconds: 0 });
  await until(async () => (await client.get(PersistentVolume, { name })) === undefined, {
    what: "the deletion of the volume",
  });
  await client.delete(Node, { name: node });
  return { held, claim: await shownClaim(client, namespace, "data") };
};

/** A driver provisions, expands and deletes volumes. */
const provisioned: Scenario = async (stage) => {
  const { client, namespace } = stage;
  const now = `${namespace}-now`;
  const later = `${namespace}-later`;
  const provisioner = "simulated.homeostat.dev";
  await client.create(StorageClass, storageClass(now, provisioner, { allowVolumeExpansion: true }));
  await client.create(StorageClass, storageClass(later, provisioner, { volumeBindingMode: "WaitForFirstConsumer" }));
  await pause(500);
  await client.create(PersistentVolumeClaim, claim(stage, "now", { storageClassName: now }));
  await client.create(PersistentVolumeClaim, claim(stage, "later", { storageClassName: later }));
  await phase(client, namespace, "now", "Bound");
  await pause(1000);
  const made = await client.get(PersistentVolumeClaim, { name: "now", namespace });
  const name = made?.spec?.volumeName ?? "";
  const first = [
    await shownClaim(client, namespace, "now"),
    await shownVolume(client, name),
    await shownClaim(client, namespace, "later"),
  ];
  const annotations = { "volume.kubernetes.io/selected-node": "somewhere" };
  await client.patch(PersistentVolumeClaim, { name: "later", namespace }, { merge: { metadata: { annotations } } });
  await phase(client, namespace, "later", "Bound");
  await client.patch(
    PersistentVolumeClaim,
    { name: "now", namespace },
    { merge: { spec: { resources: { requests: { storage: "2Gi" } } } } },
  );
  await until(
    async () => {
      const found = await client.get(PersistentVolumeClaim, { name: "now", namespace });
      return found?.status?.capacity?.["storage"] === "2Gi";
    },
    { what: "the expansion of the claim" },
  );
  await client.delete(PersistentVolumeClaim, { name: "now", namespace });
  await until(async () => (await client.get(PersistentVolume, { name })) === undefined, {
    what: "the deletion of the volume",
  });
  for (const one of [now, later]) await client.delete(StorageClass, { name: one });
  return { first, gone: await shownClaim(client, namespace, "now") };
};

/** Generic ephemeral volumes: the claim of a pod, and a claim of the same name that belongs to no pod. */
const ephemeral: Scenario = async (stage) => {
  const { client, namespace } = stage;
  await until(async () => client.get(ServiceAccount, { name: "default", namespace }), { what: "the service account" });
  const spec = { ...claim(stage, "x").spec, storageClassName: `${namespace}-none` };
  const volumeClaimTemplate = { metadata: { labels: { of: "scratch" }, annotations: { a: "b" } }, spec };
  const pod = (name: string): Pod => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace },
    spec: {
      nodeSelector: { no: "node" },
      containers: [{ name: "a", image: "busybox" }],
      volumes: [{ name: "scratch", ephemeral: { volumeClaimTemplate } }],
    },
  });
  await client.create(PersistentVolumeClaim, claim(stage, "foreign-scratch", spec));
  await client.create(Pod, pod("own"));
  const foreign = await client.create(Pod, pod("foreign"));
  const found = await until(() => client.get(PersistentVolumeClaim, { namespace, name: "own-scratch" }), {
    what: "the claim",
  });
  const isBinding = (event: unknown): boolean => JSON.stringify(event).includes('"FailedBinding"');
  const conflict = await until(
    async () => {
      const events = (await eventsAbout(client, foreign)).filter(isBinding);
      return events.length > 0 ? events : undefined;
    },
    { what: "the conflict" },
  );
  const { labels, annotations, ownerReferences } = found.metadata;
  return { labels, annotations, ownerReferences, spec: found.spec, conflict };
};

/** Scenarios by name. */
export const volumes: Readonly<Record<string, Scenario>> = {
  "a claim is bound to the smallest volume that fits": binding,
  "claims and volumes that name each other": chosen,
  "pending claims get events": pending,
  "claims and volumes in use are protected": protection,
  "volumes are provisioned dynamically": provisioned,
  "generic ephemeral volumes": ephemeral,
};
