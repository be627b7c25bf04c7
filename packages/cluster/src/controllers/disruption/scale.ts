import type { Client } from "@homeostat/client";
import {
  controllerOf,
  type DeepReadonly,
  formatGroupResource,
  NotFoundError,
  type OwnerReference,
  parseApiVersion,
  TransientError,
} from "@homeostat/core";
import type { Deployment, ReplicaSet, StatefulSet } from "@homeostat/kubernetes/apps/v1";
import type { Pod } from "@homeostat/kubernetes/core/v1";
import type { KindCatalogue } from "../common/kind-catalogue.ts";

/** The desired number of pods of a controller. */
export interface Scaled {
  readonly uid: string;
  readonly replicas: number;
}

/** Sources of the controllers of pods: caches for the built-in kinds, the scale subresource for all others. */
export interface ScaleSources {
  readonly client: Pick<Client, "get">;
  readonly kinds: Pick<KindCatalogue, "find">;
  replicaSet(key: { readonly namespace: string; readonly name: string }): DeepReadonly<ReplicaSet> | undefined;
  deployment(key: { readonly namespace: string; readonly name: string }): DeepReadonly<Deployment> | undefined;
  statefulSet(key: { readonly namespace: string; readonly name: string }): DeepReadonly<StatefulSet> | undefined;
}

/** Returns the sum of the desired pods of the controllers of these pods. Throws when a controller cannot be found. */
export async function expectedScale(
  pods: readonly DeepReadonly<Pod>[],
  sources: ScaleSources,
  signal: AbortSignal,
): Promise<{ readonly scale: number; readonly unmanaged: readonly string[] }> {
  const scales = new Map<string, number>();
  const unmanaged: string[] = [];
  for (const pod of pods) {
    const { name = "", namespace = "" } = pod.metadata;
    const controller = controllerOf(pod);
    if (controller === undefined) {
      unmanaged.push(name);
      continue;
    }
    if (scales.has(controller.uid)) continue;
    const found = await scaleOf(controller, namespace, { sources, signal });
    if (found === undefined) throw new TransientError(`found no controllers for pod "${name}"`);
    scales.set(found.uid, found.replicas);
  }
  return { scale: [...scales.values()].reduce((sum, one) => sum + one, 0), unmanaged };
}

interface Search {
  readonly sources: ScaleSources;
  readonly signal: AbortSignal;
}

async function scaleOf(reference: OwnerReference, namespace: string, search: Search): Promise<Scaled | undefined> {
  const { sources } = search;
  const { group } = parseApiVersion(reference.apiVersion);
  const key = { namespace, name: reference.name };
  const isSame = (found: DeepReadonly<{ metadata: { uid?: string } }> | undefined): boolean =>
    found?.metadata.uid === reference.uid;
  if (group === "apps" && reference.kind === "ReplicaSet") {
    const set = sources.replicaSet(key);
    const owner = set === undefined ? undefined : controllerOf(set);
    if (set !== undefined && isSame(set) && owner?.kind !== "Deployment") return scaled(set);
    if (set !== undefined && isSame(set) && owner !== undefined) {
      const deployment = sources.deployment({ namespace, name: owner.name });
      if (deployment?.metadata.uid === owner.uid) return scaled(deployment);
    }
  }
  if (group === "apps" && reference.kind === "StatefulSet") {
    const set = sources.statefulSet(key);
    if (set !== undefined && isSame(set)) return scaled(set);
  }
  return scaleResource(reference, namespace, search);
}

/** Reads the desired pods of any other kind from its scale subresource. */
async function scaleResource(
  reference: OwnerReference,
  namespace: string,
  { sources: { client, kinds }, signal }: Search,
): Promise<Scaled | undefined> {
  const kind = kinds.find(reference);
  if (kind === undefined) {
    throw new TransientError(`no matches for kind "${reference.kind}" in version "${reference.apiVersion}"`);
  }
  if (!kind.subresources.includes("scale")) {
    throw new TransientError(`${formatGroupResource(kind)} does not implement the scale subresource`);
  }
  try {
    const scale = await client.get(kind, { namespace, name: reference.name }, { subresource: "scale", signal });
    if (scale?.metadata.uid !== reference.uid) return undefined;
    return { uid: reference.uid, replicas: scale.spec?.replicas ?? 0 };
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}

function scaled({ metadata, spec }: DeepReadonly<ReplicaSet | Deployment | StatefulSet>): Scaled {
  return { uid: metadata.uid ?? "", replicas: spec?.replicas ?? 1 };
}
