import type { DeepReadonly } from "@homeostat/core";
import type { Namespace } from "@homeostat/kubernetes/core/v1";
import { annotations } from "../api/identity.ts";
import { namespaceOf } from "../api/names.ts";

/** Reads a namespace from the API server itself, not from a cache; undefined when there is none. */
export type ReadNamespace = (name: string, signal: AbortSignal) => Promise<DeepReadonly<Namespace> | undefined>;

/** What is said about a namespace that belongs to somebody else. */
export function namespaceConflict(tenant: string): string {
  return `namespace "${namespaceOf(tenant)}" already exists and is not owned by this Tenant`;
}

/**
 * Why a tenant that does not exist yet cannot be made; undefined when it can, or when nobody knows.
 *
 * A namespace on its way out will be gone; one whose owner agrees is adopted; and where it cannot be read, the
 * controller decides.
 */
export async function foreignNamespace(
  tenant: string,
  { read, signal }: { readonly read: ReadNamespace; readonly signal: AbortSignal },
): Promise<string | undefined> {
  let namespace: DeepReadonly<Namespace> | undefined;
  try {
    namespace = await read(namespaceOf(tenant), signal);
  } catch {
    return undefined;
  }
  if (namespace === undefined) return undefined;
  const { metadata } = namespace;
  if (metadata.deletionTimestamp !== undefined) return undefined;
  return metadata.annotations?.[annotations.allowAdoption] === tenant ? undefined : namespaceConflict(tenant);
}
