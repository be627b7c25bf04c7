import { ConflictError, type DeepReadonly, ForbiddenError, InvalidError } from "@homeostat/core";
import { StatefulSet } from "@homeostat/kubernetes/apps/v1";
import { PersistentVolumeClaim } from "@homeostat/kubernetes/core/v1";
import { StorageClass } from "@homeostat/kubernetes/storage/v1";
import type { AccessDefinition } from "../controller/definition.ts";
import type { RecordedClient } from "../writes/recorded-client.ts";
import { decideVolumeGrowth, type VolumeGrowth, type VolumeGrowthInput } from "./decide-growth.ts";

type Claims = readonly DeepReadonly<PersistentVolumeClaim>[];

/** The volumes of a StatefulSet, and the size they should have. */
export interface GrowVolumesOptions {
  readonly client: RecordedClient;
  readonly fieldManager: string;
  readonly signal: AbortSignal;
  /** The StatefulSet, which must be owned by the primary object; undefined while there is none. */
  readonly statefulSet: DeepReadonly<StatefulSet> | undefined;
  /** Returns its claims. Called again after they were changed, so it reads a cache that shows own writes. */
  claims(this: void): Claims;
  /** The desired size of each volume. */
  readonly size: string;
}

/** The result of {@link growVolumes}. */
export interface GrownVolumes {
  readonly growth: VolumeGrowth;
  /** The size to put into the claim template: the desired one, or that of the existing template while it cannot change. */
  readonly templateSize: string;
}

/** The rights that {@link growVolumes} needs beside that to delete StatefulSets. */
export const volumeGrowthAccess: readonly AccessDefinition[] = [
  { type: PersistentVolumeClaim, verbs: ["patch"] },
  { type: StorageClass, verbs: ["get"] },
];

/**
 * Grows the volumes of a StatefulSet as far as possible now; call it in every reconcile, before the StatefulSet is applied.
 *
 * The requests of existing claims are raised first. Then the StatefulSet, whose claim template is immutable, is deleted with orphan
 * propagation: its pods keep running, and the StatefulSet that is applied next adopts them. Every step follows from what exists, so a
 * crash at any point continues correctly. Volumes never shrink.
 */
export async function growVolumes(options: GrowVolumesOptions): Promise<GrownVolumes> {
  const { statefulSet, size } = options;
  const template = statefulSet?.spec?.volumeClaimTemplates?.[0]?.spec?.resources?.requests?.["storage"]?.toString();
  const kept = template ?? size;
  const inputOf = (claims: Claims): VolumeGrowthInput => ({ desired: size, template, claims });
  const claims = options.claims();
  const growth = await decide(options, inputOf(claims));
  if (growth.state === "settled") return { growth, templateSize: size };
  if (growth.state === "refused") return { growth, templateSize: kept };
  const refusal = await raiseRequests(options, claims, growth.claims);
  if (refusal !== undefined) return { growth: refusal, templateSize: kept };
  const after = decideVolumeGrowth(inputOf(options.claims()));
  const isTemplateOld = after.state === "growing" && after.isTemplateOld;
  if (isTemplateOld) await deleteAroundPods(options);
  return { growth: after, templateSize: isTemplateOld ? size : kept };
}

/** Reads the storage class only when claims have to grow. */
async function decide({ client, signal }: GrowVolumesOptions, input: VolumeGrowthInput): Promise<VolumeGrowth> {
  const growth = decideVolumeGrowth(input);
  if (growth.state !== "growing" || growth.claims.length === 0) return growth;
  const name = input.claims.find(({ spec }) => spec?.storageClassName !== undefined)?.spec?.storageClassName ?? "";
  const found = name === "" ? undefined : await client.get(StorageClass, { name }, { signal });
  return decideVolumeGrowth({ ...input, canExpand: found && (found.allowVolumeExpansion ?? false) });
}

/** Raises the requests of claims; returns the refusal of the API server, if any. */
async function raiseRequests(
  { client, fieldManager, signal, size }: GrowVolumesOptions,
  claims: Claims,
  names: readonly string[],
): Promise<VolumeGrowth | undefined> {
  const merge = { spec: { resources: { requests: { storage: size } } } };
  for (const { metadata } of claims) {
    const { namespace, name = "" } = metadata;
    if (!names.includes(name)) continue;
    try {
      await client.patch(PersistentVolumeClaim, { namespace, name }, { merge }, { fieldManager, signal });
    } catch (error) {
      if (!(error instanceof ForbiddenError) && !(error instanceof InvalidError)) throw error;
      return { state: "refused", reason: "ExpansionNotSupported", message: error.serverMessage };
    }
  }
  return undefined;
}

async function deleteAroundPods({ client, signal, statefulSet }: GrowVolumesOptions): Promise<void> {
  if (statefulSet === undefined || statefulSet.metadata.deletionTimestamp !== undefined) return;
  const { namespace, name = "", uid } = statefulSet.metadata;
  try {
    const preconditions = uid === undefined ? {} : { uid };
    await client.delete(StatefulSet, { namespace, name }, { preconditions, propagation: "Orphan", signal });
  } catch (error) {
    // The StatefulSet was replaced in between; the next reconcile observes the new one.
    if (!(error instanceof ConflictError)) throw error;
  }
}
