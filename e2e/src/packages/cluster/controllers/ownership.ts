// Scenarios about garbage collection.

import { type Client, type ObjectName, type Propagation } from "@homeostat/client";
import { type KubeObject, NotFoundError, type OwnerReference, type ResourceType } from "@homeostat/core";
import { CustomResourceDefinition } from "@homeostat/kubernetes/apiextensions/v1";
import { ConfigMap, Namespace, Secret } from "@homeostat/kubernetes/core/v1";
import { eventsAbout, pause, type Scenario, type Stage, until } from "./scenario.ts";

const map = (name: string, namespace: string, metadata: Partial<KubeObject["metadata"]> = {}): ConfigMap => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace, ...metadata },
});

function ownedBy(owner: KubeObject, more: Partial<OwnerReference> = {}): OwnerReference {
  const { name = "", uid = "" } = owner.metadata;
  return { apiVersion: owner.apiVersion, kind: owner.kind, name, uid, ...more };
}

async function namesOf(client: Client, namespace: string): Promise<readonly string[]> {
  const { items } = await client.list(ConfigMap, { namespace });
  return items.map(({ metadata }) => metadata.name ?? "").filter((name) => name !== "kube-root-ca.crt");
}

const isGone = async (client: Client, type: ResourceType, key: ObjectName): Promise<boolean> =>
  (await client.get(type, key)) === undefined;

async function createDependents({ client, namespace }: Stage, block: boolean): Promise<ConfigMap> {
  const root = await client.create(ConfigMap, map("root", namespace));
  const child = await client.create(
    ConfigMap,
    map("child", namespace, { ownerReferences: [ownedBy(root, { blockOwnerDeletion: block })] }),
  );
  await client.create(
    ConfigMap,
    map("grandchild", namespace, { ownerReferences: [ownedBy(child, { blockOwnerDeletion: block })] }),
  );
  await client.create(ConfigMap, map("stranger", namespace));
  // The garbage collector of Kubernetes builds its graph from watch events, which arrive with a delay.
  await pause(500);
  return root;
}

function deletion(propagation: Propagation): Scenario {
  return async (stage) => {
    const { client, namespace } = stage;
    await createDependents(stage, true);
    await client.delete(ConfigMap, { name: "root", namespace }, { propagation });
    await until(async () => isGone(client, ConfigMap, { name: "root", namespace }), {
      what: "the deletion of the owner",
    });
    if (propagation === "Background") {
      await until(async () => (await namesOf(client, namespace)).length === 1, {
        what: "the deletion of the dependents",
      });
    }
    const left = await client.list(ConfigMap, { namespace });
    return left.items
      .filter(({ metadata }) => metadata.name !== "kube-root-ca.crt")
      .map(({ metadata: { name, ownerReferences, finalizers } }) => ({ name, ownerReferences, finalizers }));
  };
}

/** The order of a foreground deletion, and what blocks it. */
const heldForeground: Scenario = async (stage) => {
  const { client, namespace } = stage;
  const root = await createDependents(stage, true);
  const holder = map("holder", namespace, {
    finalizers: ["example.com/hold"],
    ownerReferences: [ownedBy(root, { blockOwnerDeletion: true })],
  });
  await client.create(ConfigMap, holder);
  const free = map("free", namespace, { finalizers: ["example.com/hold"], ownerReferences: [ownedBy(root)] });
  await client.create(ConfigMap, free);
  await pause(500);
  await client.delete(ConfigMap, { name: "root", namespace }, { propagation: "Foreground" });
  await until(async () => (await namesOf(client, namespace)).length === 4, {
    what: "the deletion of the other objects",
  });
  await pause(500);
  const states = await client.list(ConfigMap, { namespace });
  const waiting = states.items.map(({ metadata: { name, deletionTimestamp, finalizers } }) => ({
    name,
    isGoing: deletionTimestamp !== undefined,
    finalizers,
  }));
  await client.patch(ConfigMap, { name: "holder", namespace }, { merge: { metadata: { finalizers: null } } });
  await until(async () => isGone(client, ConfigMap, { name: "root", namespace }), {
    what: "the deletion of the owner",
  });
  return { waiting, left: await namesOf(client, namespace) };
};

/** Another owner keeps an object. */
const twoOwners: Scenario = async ({ client, namespace }) => {
  const one = await client.create(ConfigMap, map("one", namespace));
  const two = await client.create(ConfigMap, map("two", namespace));
  await client.create(
    ConfigMap,
    map("child", namespace, { ownerReferences: [ownedBy(one, { blockOwnerDeletion: true }), ownedBy(two)] }),
  );
  await pause(500);
  await client.delete(ConfigMap, { name: "one", namespace }, { propagation: "Foreground" });
  await until(async () => isGone(client, ConfigMap, { name: "one", namespace }), {
    what: "the deletion of the first owner",
  });
  const child = await client.get(ConfigMap, { name: "child", namespace });
  await client.delete(ConfigMap, { name: "two", namespace });
  await until(async () => isGone(client, ConfigMap, { name: "child", namespace }), {
    what: "the deletion of the dependent",
  });
  return { references: child?.metadata.ownerReferences, left: await namesOf(client, namespace) };
};

/** Owners that never existed, with another uid, in another namespace, and a cluster-scoped owner. */
const strangeOwners: Scenario = async ({ client, namespace }) => {
  const uid = "00000000-0000-4000-8000-000000000000";
  const other = `${namespace}-other`;
  const home = await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: other } });
  const away = await client.create(Secret, {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "away", namespace: other },
  });
  const here = await client.create(Secret, { apiVersion: "v1", kind: "Secret", metadata: { name: "here", namespace } });
  await pause(1000);
  const cases: Record<string, OwnerReference> = {
    never: { apiVersion: "v1", kind: "Secret", name: "never", uid },
    "other-uid": { ...ownedBy(here), uid },
    "other-namespace": ownedBy(away),
    cluster: ownedBy(home),
    "same-namespace": ownedBy(here),
    "unknown-kind": { apiVersion: "example.com/v9", kind: "Nothing", name: "x", uid },
  };
  for (const [name, owner] of Object.entries(cases)) {
    await client.create(ConfigMap, map(name, namespace, { ownerReferences: [owner] }));
  }
  await until(async () => (await namesOf(client, namespace)).length === 3, {
    what: "the deletion of objects without an owner",
  });
  await pause(1000);
  const left = await namesOf(client, namespace);
  const events = await until(
    async () => {
      const found = await eventsAbout(client, map("other-namespace", namespace));
      return found.length > 0 && found;
    },
    { what: "the event about the owner of another namespace" },
  );
  await client.delete(Namespace, { name: other });
  await until(async () => isGone(client, ConfigMap, { name: "cluster", namespace }), {
    what: "the deletion of the namespace's dependent",
  });
  return { left, events, later: await namesOf(client, namespace) };
};

/** A cycle of two is deleted, although each blocks the other. */
const circle: Scenario = async ({ client, namespace }) => {
  const one = await client.create(ConfigMap, map("one", namespace));
  const two = await client.create(
    ConfigMap,
    map("two", namespace, { ownerReferences: [ownedBy(one, { blockOwnerDeletion: true })] }),
  );
  const merge = { metadata: { ownerReferences: [ownedBy(two, { blockOwnerDeletion: true })] } };
  await client.patch(ConfigMap, { name: "one", namespace }, { merge });
  await pause(500);
  await client.delete(ConfigMap, { name: "one", namespace }, { propagation: "Foreground" });
  await until(async () => (await namesOf(client, namespace)).length === 0, { what: "the deletion of the cycle" });
  return namesOf(client, namespace);
};

interface Widget extends KubeObject {
  spec?: object;
}

/** CRDs that are created and deleted while the garbage collector runs. */
const customKinds: Scenario = async ({ client, namespace }) => {
  const group = `${namespace}.example.com`;
  const Widgets: ResourceType<Widget> = {
    group,
    version: "v1",
    kind: "Widget",
    plural: "widgets",
    scope: "Namespaced",
  };
  const definition = await client.create(CustomResourceDefinition, {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `widgets.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { kind: "Widget", plural: "widgets", singular: "widget", listKind: "WidgetList" },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
    },
  });
  const apiVersion = `${group}/v1`;
  const make = async (name: string, more: Partial<KubeObject["metadata"]> = {}): Promise<Widget> =>
    until(
      async () =>
        client
          .create(Widgets, { apiVersion, kind: "Widget", metadata: { name, namespace, ...more } })
          .catch((error: unknown) => (error instanceof NotFoundError ? undefined : Promise.reject(error))),
      { what: "the kind" },
    );
  const root = await make("root");
  await make("child", { ownerReferences: [ownedBy(root, { blockOwnerDeletion: true })] });
  await client.create(
    ConfigMap,
    map("of-custom", namespace, { ownerReferences: [ownedBy(root, { blockOwnerDeletion: true })] }),
  );
  const settings = await client.create(ConfigMap, map("settings", namespace));
  await make("of-builtin", { ownerReferences: [ownedBy(settings)] });
  await client.delete(ConfigMap, { name: "settings", namespace });
  await until(async () => isGone(client, Widgets, { name: "of-builtin", namespace }), {
    what: "the deletion of the ConfigMap's custom resource",
  });
  await client.delete(Widgets, { name: "root", namespace }, { propagation: "Foreground" });
  await until(async () => isGone(client, Widgets, { name: "root", namespace }), {
    what: "the deletion of the custom owner",
  });
  const left = [await namesOf(client, namespace), (await client.list(Widgets, { namespace })).items.length];
  const last = await make("last");
  await client.create(ConfigMap, map("of-last", namespace, { ownerReferences: [ownedBy(last)] }));
  await pause(1000);
  await client.delete(CustomResourceDefinition, { name: definition.metadata.name ?? "" });
  await until(async () => isGone(client, CustomResourceDefinition, { name: definition.metadata.name ?? "" }), {
    what: "the deletion of the CRD",
  });
  await until(async () => isGone(client, ConfigMap, { name: "of-last", namespace }), {
    what: "the deletion of the last dependent",
  });
  return { left, later: await namesOf(client, namespace) };
};

/** Scenarios by name. */
export const ownership: Readonly<Record<string, Scenario>> = {
  "a background deletion also deletes dependents": deletion("Background"),
  "a foreground deletion deletes dependents first": deletion("Foreground"),
  "an orphaning deletion keeps dependents": deletion("Orphan"),
  "a foreground deletion waits for blocking dependents": heldForeground,
  "an object with another owner is kept": twoOwners,
  "owners that do not exist": strangeOwners,
  "a circle goes": circle,
  "CRDs that are created and deleted": customKinds,
};
