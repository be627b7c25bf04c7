// Secrets that the pods of a cluster use.

import type { Component } from "../api/identity.ts";
import { digestOf } from "./hashes.ts";
import type { ResolvedCluster } from "./resolve.ts";

/** Keys of a Secret that pods use. */
export interface SecretUse {
  readonly name: string;
  readonly keys: readonly string[];
}

/** The keys of the Secrets that have a fixed form. */
export const secretKeys = {
  tls: { certificate: "tls.crt", key: "tls.key", authority: "ca.crt" },
  credentials: { username: "username", password: "password" },
  s3: { accessKey: "access-key", secretKey: "secret-key" },
  gcs: { credentials: "credentials.json" },
  azure: { accountKey: "account-key" },
} as const;

/** Returns the Secrets that the pods of a component use, each once, sorted by name. */
export function secretsOf(resolved: ResolvedCluster, component: Component): SecretUse[] {
  const keys = new Map<string, Set<string>>();
  for (const { name, keys: more } of uses(resolved, component)) {
    const known = keys.get(name) ?? new Set();
    for (const key of more) known.add(key);
    keys.set(name, known);
  }
  return [...keys]
    .map(([name, found]) => ({ name, keys: [...found].toSorted() }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function* uses(
  { security, metastore, storage, tuning, components }: ResolvedCluster,
  component: Component,
): Iterable<SecretUse> {
  if (security.tls !== undefined) {
    const { certificate, key, authority } = secretKeys.tls;
    yield { name: security.tls.secret, keys: [certificate, key, ...(security.tls.isMutual ? [authority] : [])] };
  }
  if (metastore.postgres !== undefined) {
    yield { name: metastore.postgres.credentialsSecret, keys: Object.values(secretKeys.credentials) };
  }
  if (security.adminApiKey !== undefined) yield { name: security.adminApiKey.name, keys: [security.adminApiKey.key] };
  if (component !== "controller") {
    for (const store of ["s3", "gcs", "azure"] as const) {
      const name = storage[store]?.credentialsSecret;
      if (name !== undefined) yield { name, keys: Object.values(secretKeys[store]) };
    }
  }
  if (component === "ingest" && tuning.schemaRegistry.credentialsSecret !== undefined) {
    yield { name: tuning.schemaRegistry.credentialsSecret, keys: Object.values(secretKeys.credentials) };
  }
  if (component === "search" && tuning.vectorSearch.apiKeySecret !== undefined) {
    const { name, key } = tuning.vectorSearch.apiKeySecret;
    yield { name, keys: [key] };
  }
  for (const { valueFromSecret } of components[component].env) {
    if (valueFromSecret !== undefined) yield { name: valueFromSecret.name, keys: [valueFromSecret.key] };
  }
}

/** The data of Secrets by name, as the API server returns it. A Secret that does not exist is undefined. */
export type SecretData = (name: string) => Readonly<Record<string, string>> | undefined;

/** Returns the digest of the used keys of Secrets; undefined for a component that uses none. Keys that are not used do not matter. */
export function secretHash(used: readonly SecretUse[], data: SecretData): string | undefined {
  if (used.length === 0) return undefined;
  return digestOf(used.map(({ name, keys }) => ({ name, values: keys.map((key) => [key, data(name)?.[key]]) })));
}
