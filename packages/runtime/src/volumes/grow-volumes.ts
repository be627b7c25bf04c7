import { ConflictError, type DeepReadonly, ForbiddenError, InvalidError } from "@homeostat/core";
import { StatefulSet } from "@homeostat/kubernetes/apps/v1";
import { PersistentVolumeClaim } from "@homeostat/kubernetes/core/v1";
import { StorageClass } from "@homeostat/kubernetes/storage/v1";
import type { AccessDefinition } from "../controller/definition.ts";
import type { RecordedClient } from "../writes/recorded-client.ts";
import { decideVolumeGrowth, type VolumeGrowth, type VolumeGrowthInput } from "./decide-growth.ts";

type Claims = readonly DeepReadonly<PersistentVolumeClaim>[];

/** Options of {@link growVolumes}. */
export interface GrowVolumesOptions {
  readonly client: RecordedClient;
  readonly fieldManager: string;
  readonly signal: AbortSignal;
  /** The StatefulSet, which must be owned by the primary object; undefined if it does not exist yet. */
  readonly statefulSet: DeepReadonly<StatefulSet> | undefined;
  /** Returns its claims. Called again after the claims were changed, so it must read a cache that contains own writes. */
  claims(this: void): Claims;
  /** Desired size of each volume. */
  readonly size: string;
}

/** Result of {@link growVolumes}. */
export interface GrownVolumes {
  readonly growth: VolumeGrowth;
  /** Size for the claim template: the desired one, or that of the existing template while it cannot be changed. */
  readonly templateSize: string;
}

/** Permissions that {@link growVolumes} needs, in addition to deleting StatefulSets. */
export const volumeGrowthAccess: readonly AccessDefinition[] = [
  { type: PersistentVolumeClaim, verbs: ["patch"] },
  { type: StorageClass, verbs: ["get"] },
];

/**
 * Performs the next steps of growing the volumes of a StatefulSet. Call it in every reconcile, before the StatefulSet is applied.
 *
 * First, the requests of existing claims are raised. Then the StatefulSet, whose claim template is immutable, is deleted with orphan
 * propagation: its pods keep running, and the StatefulSet that is applied next adopts them. Every step is decided from the observed state, so it
 * continues correctly after a crash at any point. Volumes never shrink.
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

/** Decides the next step. Reads the storage class only if claims have to grow. */
async function decide({ client, signal }: GrowVolumesOptions, input: VolumeGrowthInput): Promise<VolumeGrowth> {
  const growth = decideVolumeGrowth(input);
  if (growth.state !== "growing" || growth.claims.length === 0) return growth;
  const name = input.claims.find(({ spec }) => spec?.storageClassName !== undefined)?.spec?.storageClassName ?? "";
  const found = name === "" ? undefined : await client.get(StorageClass, { name }, { signal });
  return decideVolumeGrowth({ ...input, canExpand: found && (found.allowVolumeExpansion ?? false) });
}

/** Raises the requests of claims. Returns a `refused` state if the API server rejects it. */
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

/** Deletes the StatefulSet and keeps its pods. */
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
