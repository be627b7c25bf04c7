// Objects that must exist before pods can start. A missing one is not an error of the spec: the operator waits for it.

import type { Component } from "../api/identity.ts";
import { componentsOf, type ResolvedCluster } from "../build/resolve.ts";
import { type SecretData, secretsOf, type SecretUse } from "../build/secrets.ts";

/** Objects that a cluster refers to. */
export interface Prerequisites {
  /** Secrets with the keys that any component uses, sorted by name. */
  readonly secrets: readonly SecretUse[];
  /** Undefined if the default of the Kubernetes cluster is used, or no dynamic provisioning. */
  readonly storageClass: string | undefined;
}

/** Returns the objects that a cluster refers to. */
export function prerequisitesOf(resolved: ResolvedCluster): Prerequisites {
  const keys = new Map<string, Set<string>>();
  for (const { name, keys: used } of componentsOf(resolved).flatMap((component) => secretsOf(resolved, component))) {
    keys.set(name, new Set([...(keys.get(name) ?? []), ...used]));
  }
  const { storageClass } = resolved.storage;
  return {
    secrets: [...keys.keys()].toSorted().map((name) => ({ name, keys: [...(keys.get(name) ?? [])].toSorted() })),
    storageClass: storageClass === "" ? undefined : storageClass,
  };
}

/** Prerequisites as the API server returned them. */
export interface FoundPrerequisites {
  readonly secrets: SecretData;
  readonly hasStorageClass: boolean;
}

/** Returns one message per missing object or key; empty if all exist. */
export function missingPrerequisites({ secrets, storageClass }: Prerequisites, found: FoundPrerequisites): string[] {
  return [
    ...secrets.flatMap(({ name, keys }) => missingInSecret(name, keys, found.secrets(name))),
    ...(storageClass !== undefined && !found.hasStorageClass ? [`StorageClass "${storageClass}" not found`] : []),
  ];
}

/** Returns the components whose pods cannot start, because a Secret or a key of theirs is missing. */
export function waitingComponents(resolved: ResolvedCluster, data: SecretData): Component[] {
  return componentsOf(resolved).filter((component) =>
    secretsOf(resolved, component).some(({ name, keys }) => missingInSecret(name, keys, data(name)).length > 0),
  );
}

function missingInSecret(
  name: string,
  keys: readonly string[],
  data: Readonly<Record<string, string>> | undefined,
): string[] {
  if (data === undefined) return [`Secret "${name}" not found`];
  // A key without content would start the pod with an empty password.
  return keys
    .filter((key) => !Object.hasOwn(data, key) || data[key] === "")
    .map((key) => `Secret "${name}" has no key "${key}"`);
}
