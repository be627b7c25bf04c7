// Placeholders for objects that a cluster refers to and that the manifests do not contain.

import type { KubeObject } from "@homeostat/core";
import type { PriorityClass } from "@homeostat/kubernetes/scheduling/v1";
import type { Secret } from "@homeostat/kubernetes/core/v1";
import type { StorageClass } from "@homeostat/kubernetes/storage/v1";
import type { ChronikCluster } from "../api/chronik-cluster.ts";
import { componentsOf, resolveCluster } from "../build/resolve.ts";
import type { ResolveSettings } from "../settings/settings.ts";
import { prerequisitesOf } from "../validation/prerequisites.ts";

/** A placeholder for an object that the manifests do not contain, with a note for users. */
export interface PlaceholderObject {
  readonly object: KubeObject;
  readonly note: string;
}

/** Returns placeholders for the objects that the cluster refers to and that are not given. The cluster must be valid. */
export function placeholderObjects(
  cluster: ChronikCluster,
  given: readonly KubeObject[],
  settings: ResolveSettings,
): readonly PlaceholderObject[] {
  const resolved = resolveCluster(cluster, settings);
  const { secrets, storageClass } = prerequisitesOf(resolved);
  const { namespace = "default" } = cluster.metadata;
  const has = (kind: string, name: string): boolean =>
    given.some((object) => object.kind === kind && object.metadata.name === name);
  const priorities = componentsOf(resolved).flatMap((component) => {
    const { priorityClassName } = resolved.components[component];
    return priorityClassName === undefined ? [] : [priorityClassName];
  });
  return [
    ...secrets.flatMap(({ name, keys }): PlaceholderObject[] =>
      has("Secret", name) ? [] : [{ object: secret(namespace, name, keys), note: secretNote(name, keys) }],
    ),
    ...(storageClass === undefined || has("StorageClass", storageClass)
      ? []
      : [{ object: expandableClass(storageClass), note: classNote(storageClass) }]),
    ...[...new Set(priorities)].flatMap((name): PlaceholderObject[] =>
      has("PriorityClass", name) || name.startsWith("system-")
        ? []
        : [
            {
              object: priorityClass(name),
              note: `PriorityClass "${name}" is not in the manifests: using a placeholder`,
            },
          ],
    ),
  ];
}

function secretNote(name: string, keys: readonly string[]): string {
  return `Secret "${name}" is not in the manifests: using a placeholder with the keys ${keys.join(", ")}`;
}

function classNote(name: string): string {
  return `StorageClass "${name}" is not in the manifests: using a placeholder whose volumes can grow`;
}

function secret(namespace: string, name: string, keys: readonly string[]): Secret {
  const data = Object.fromEntries(keys.map((key) => [key, Buffer.from(`placeholder: ${key}`).toString("base64")]));
  return { apiVersion: "v1", kind: "Secret", metadata: { namespace, name }, data };
}

function expandableClass(name: string): StorageClass {
  return {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: { name },
    // Replaced by the provisioner of the embedded cluster, like those of all classes.
    provisioner: "example.com/placeholder",
    allowVolumeExpansion: true,
  };
}

function priorityClass(name: string): PriorityClass {
  return { apiVersion: "scheduling.k8s.io/v1", kind: "PriorityClass", metadata: { name }, value: 1_000 };
}
