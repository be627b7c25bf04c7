// Scenarios about owners and those that they own.

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

async function family({ client, namespace }: Stage, block: boolean): Promise<ConfigMap> {
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
  // The real collector builds its graph from events that take their time.
  await pause(500);
  return root;
}

function deletion(propagation: Propagation): Scenario {
  return async (stage) => {
    const { client, namespace } = stage;
    await family(stage, true);
    await client.delete(ConfigMap, { name: "root", namespace }, { propagation });
    await until(async () => isGone(client, ConfigMap, { name: "root", namespace }), { what: "the owner to go" });
    if (propagation === "Background") {
      await until(async () => (await namesOf(client, namespace)).length === 1, { what: "the family to go" });
    }
    const left = await client.list(ConfigMap, { namespace });
    return left.items
      .filter(({ metadata }) => metadata.name !== "kube-root-ca.crt")
      .map(({ metadata: { name, ownerReferences, finalizers } }) => ({ name, ownerReferences, finalizers }));
  };
}

/** In which order a family goes when its head is deleted in the foreground, and what holds it up. */
const heldForeground: Scenario = async (stage) => {
  const { client, namespace } = stage;
  const root = await family(stage, true);
  const holder = map("holder", namespace, {
    finalizers: ["example.com/hold"],
    ownerReferences: [ownedBy(root, { blockOwnerDeletion: true })],
  });
  await client.create(ConfigMap, holder);
  const free = map("free", namespace, { finalizers: ["example.com/hold"], ownerReferences: [ownedBy(root)] });
  await client.create(ConfigMap, free);
  await pause(500);
  await client.delete(ConfigMap, { name: "root", namespace }, { propagation: "Foreground" });
  await until(async () => (await namesOf(client, namespace)).length === 4, { what: "the others to go" });
  await pause(500);
  const states = await client.list(ConfigMap, { namespace });
  const waiting = states.items.map(({ metadata: { name, deletionTimestamp, finalizers } }) => ({
    name,
    isGoing: deletionTimestamp !== undefined,
    finalizers,
  }));
  await client.patch(ConfigMap, { name: "holder", namespace }, { merge: { metadata: { finalizers: null } } });
  await until(async () => isGone(client, ConfigMap, { name: "root", namespace }), { what: "the owner to go" });
  return { waiting, left: await namesOf(client, namespace) };
};

/** Who else owns it keeps it. */
const twoOwners: Scenario = async ({ client, namespace }) => {
  const one = await client.create(ConfigMap, map("one", namespace));
  const two = await client.create(ConfigMap, map("two", namespace));
  await client.create(
    ConfigMap,
    map("child", namespace, { ownerReferences: [ownedBy(one, { blockOwnerDeletion: true }), ownedBy(two)] }),
  );
  await pause(500);
  await client.delete(ConfigMap, { name: "one", namespace }, { propagation: "Foreground" });
  await until(async () => isGone(client, ConfigMap, { name: "one", namespace }), { what: "one to go" });
  const child = await client.get(ConfigMap, { name: "child", namespace });
  await client.delete(ConfigMap, { name: "two", namespace });
  await until(async () => isGone(client, ConfigMap, { name: "child", namespace }), { what: "the child to go" });
  return { references: child?.metadata.ownerReferences, left: await namesOf(client, namespace) };
};

/** An owner that never was; one of another uid; one of another namespace; one that is of the cluster. */
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
  await until(async () => (await namesOf(client, namespace)).length === 3, { what: "the orphans to go" });
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
    what: "what the namespace owned",
  });
  return { left, events, later: await namesOf(client, namespace) };
};

/** A circle of two goes, although each waits for the other. */
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
  await until(async () => (await namesOf(client, namespace)).length === 0, { what: "the circle to go" });
  return namesOf(client, namespace);
};

interface Widget extends KubeObject {
  spec?: object;
}

/** Kinds that come and go while the collector runs. */
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
    what: "the custom object of a map",
  });
  await client.delete(Widgets, { name: "root", namespace }, { propagation: "Foreground" });
  await until(async () => isGone(client, Widgets, { name: "root", namespace }), { what: "the custom owner" });
  const left = [await namesOf(client, namespace), (await client.list(Widgets, { namespace })).items.length];
  const last = await make("last");
  await client.create(ConfigMap, map("of-last", namespace, { ownerReferences: [ownedBy(last)] }));
  await pause(1000);
  await client.delete(CustomResourceDefinition, { name: definition.metadata.name ?? "" });
  await until(async () => isGone(client, CustomResourceDefinition, { name: definition.metadata.name ?? "" }), {
    what: "the kind to go",
  });
  await until(async () => isGone(client, ConfigMap, { name: "of-last", namespace }), {
    what: "what the last one owned",
  });
  return { left, later: await namesOf(client, namespace) };
};

/** By name. */
export const ownership: Readonly<Record<string, Scenario>> = {
  "a deletion in the background takes the family along": deletion("Background"),
  "a deletion in the foreground takes the family along first": deletion("Foreground"),
  "a deletion that orphans leaves the family without its head": deletion("Orphan"),
  "a deletion in the foreground waits for those that block it": heldForeground,
  "an object with another owner stays": twoOwners,
  "owners that are not there": strangeOwners,
  "a circle goes": circle,
  "kinds that come and go": customKinds,
};
