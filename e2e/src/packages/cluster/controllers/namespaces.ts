// Scenarios about namespaces: deletion, and the objects that every namespace has.

import type { Client } from "@homeostat/client";
import type { ResourceType } from "@homeostat/core";
import { ConfigMap, Namespace, Pod, Secret, ServiceAccount } from "@homeostat/kubernetes/core/v1";
import { Deployment } from "@homeostat/kubernetes/apps/v1";
import { pause, type Scenario, until } from "./scenario.ts";

const finalizers = ["example.com/hold"];

const namespaceGone = (client: Client, name: string): Promise<true> =>
  until(async () => (await client.get(Namespace, { name })) === undefined, { what: "the deletion of the namespace" });

async function held(client: Client, name: string, type: string): Promise<unknown> {
  return until(
    async () => {
      const found = await client.get(Namespace, { name });
      const conditions = found?.status?.conditions;
      return conditions?.some((condition) => condition.type === type) && { spec: found?.spec, status: found?.status };
    },
    { what: `the condition ${type}` },
  );
}

/** A namespace is deleted with all its objects, including owners and owned objects. */
const content: Scenario = async ({ client, namespace }) => {
  const labels = { app: "x" };
  const template = { metadata: { labels }, spec: { containers: [{ name: "a", image: "busybox" }] } };
  await client.create(Deployment, {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", namespace },
    spec: { replicas: 0, selector: { matchLabels: labels }, template },
  });
  await client.create(Secret, { apiVersion: "v1", kind: "Secret", metadata: { name: "secret", namespace } });
  await client.create(ConfigMap, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "map", namespace } });
  await client.delete(Namespace, { name: namespace });
  await namespaceGone(client, namespace);
  const kinds: readonly ResourceType[] = [Deployment, Secret, ConfigMap];
  const lists = await Promise.all(kinds.map((type) => client.list(type, { namespace })));
  return lists.map(({ items }) => items.length);
};

/** Objects with finalizers block the deletion, and conditions report them. */
const finalizersRemain: Scenario = async ({ client, namespace }) => {
  for (const name of ["a", "b"]) {
    await client.create(ConfigMap, { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace, finalizers } });
  }
  const two = ["example.com/other", ...finalizers];
  await client.create(Secret, {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "c", namespace, finalizers: two },
  });
  await client.delete(Namespace, { name: namespace });
  const before = await held(client, namespace, "NamespaceFinalizersRemaining");
  const merge = { metadata: { finalizers: null } };
  for (const name of ["a", "b"]) await client.patch(ConfigMap, { name, namespace }, { merge });
  await client.patch(Secret, { name: "c", namespace }, { merge });
  await namespaceGone(client, namespace);
  return before;
};

/** Pods are deleted first, because they use other objects. */
const podsFirst: Scenario = async ({ client, namespace }) => {
  await until(async () => client.get(ServiceAccount, { name: "default", namespace }), { what: "the service account" });
  await client.create(Pod, {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "pod", namespace, finalizers },
    spec: { containers: [{ name: "a", image: "busybox" }], nodeSelector: { no: "node" } },
  });
  await client.create(ConfigMap, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "map", namespace } });
  await client.delete(Namespace, { name: namespace });
  const before = await held(client, namespace, "NamespaceContentRemaining");
  await pause(500);
  const map = await client.get(ConfigMap, { name: "map", namespace });
  await client.patch(Pod, { name: "pod", namespace }, { merge: { metadata: { finalizers: null } } });
  await namespaceGone(client, namespace);
  return { before, mapStays: map !== undefined };
};

/** A finalizer of another party on the namespace: conditions report no remaining content, and the namespace stays. */
const foreignFinalizer: Scenario = async ({ client, namespace: scene }) => {
  const name = `${scene}-foreign`;
  await client.create(Namespace, {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name },
    spec: { finalizers: ["kubernetes", "example.com/mine"] },
  });
  await client.create(ConfigMap, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "map", namespace: name } });
  await client.delete(Namespace, { name });
  const left = await until(
    async () => {
      const found = await client.get(Namespace, { name });
      return found?.spec?.finalizers?.length === 1 && { spec: found.spec, status: found.status };
    },
    { what: "the removal of the content" },
  );
  const found = await client.get(Namespace, { name });
  if (found !== undefined) await client.update(Namespace, { ...found, spec: {} }, { subresource: "finalize" });
  await namespaceGone(client, name);
  return left;
};

/** Every namespace has a service account and the CA ConfigMap, which are recreated after a deletion. */
const defaultObjects: Scenario = async ({ client, namespace, ca }) => {
  const account = { name: "default", namespace };
  const authority = { name: "kube-root-ca.crt", namespace };
  const made = await until(async () => client.get(ServiceAccount, account), { what: "the account" });
  const map = await until(async () => client.get(ConfigMap, authority), { what: "the authority" });
  await client.delete(ServiceAccount, account);
  await client.delete(ConfigMap, authority);
  await until(async () => client.get(ServiceAccount, account), { what: "another account" });
  await until(async () => client.get(ConfigMap, authority), { what: "another authority" });
  await client.patch(ConfigMap, authority, {
    merge: { data: { "ca.crt": "x", more: "y" }, metadata: { annotations: { a: "b" } } },
  });
  const restored = await until(
    async () => {
      const found = await client.get(ConfigMap, authority);
      return found?.data?.["ca.crt"] === map.data?.["ca.crt"] && found;
    },
    { what: "the correction of the CA ConfigMap" },
  );
  const managers = (object: ConfigMap | ServiceAccount): unknown =>
    object.metadata.managedFields?.map(({ manager, operation, fieldsV1 }) => ({ manager, operation, fieldsV1 }));
  return {
    account: Object.keys(made),
    isAuthority: map.data?.["ca.crt"] === ca,
    annotations: map.metadata.annotations,
    keys: Object.keys(restored.data ?? {}),
    restored: restored.metadata.annotations,
    managers: managers(map),
  };
};

/** Scenarios by name. */
export const namespaces: Readonly<Record<string, Scenario>> = {
  "a namespace is deleted with all its objects": content,
  "objects with finalizers block the deletion of a namespace": finalizersRemain,
  "pods are deleted first": podsFirst,
  "a finalizer of another party keeps an empty namespace": foreignFinalizer,
  "every namespace has a service account and the CA ConfigMap": defaultObjects,
};
