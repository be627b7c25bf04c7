// Which owners the volume claims of a StatefulSet's pods have: that follows from its retention policy.

import type { DeepReadonly, KubeObject, OwnerReference } from "@homeostat/core";
import { StatefulSet } from "@homeostat/kubernetes/apps/v1";
import { type PersistentVolumeClaim, Pod } from "@homeostat/kubernetes/core/v1";
import type { SomePod } from "../pods/pod-state.ts";
import { isInRange, ordinalOf, type StoredStateful } from "./ordinals.ts";

/** A claim, stored or yet to be made. */
export type SomeClaim = DeepReadonly<PersistentVolumeClaim>;

type References = readonly DeepReadonly<OwnerReference>[];

/** The name of the claim for a template and a pod. */
export function claimName(template: string, set: StoredStateful, ordinal: number): string {
  return `${template}-${set.metadata.name}-${ordinal}`;
}

/** The claims of a pod, by the names of their volumes. */
export function claimsOf(set: StoredStateful, pod: SomePod): ReadonlyMap<string, SomeClaim> {
  const { volumeClaimTemplates = [], selector } = set.spec ?? {};
  const { namespace } = set.metadata;
  return new Map(
    volumeClaimTemplates.map(({ metadata, spec, ...rest }) => {
      const { name: volume = "", ...others } = metadata;
      const labels = { ...others.labels, ...selector?.matchLabels };
      const name = claimName(volume, set, ordinalOf(pod));
      const claim: SomeClaim = {
        ...rest,
        apiVersion: "v1",
        kind: "PersistentVolumeClaim",
        metadata: { ...others, name, ...(namespace === undefined ? {} : { namespace }), labels },
        ...(spec === undefined ? {} : { spec }),
      };
      return [volume, claim];
    }),
  );
}

/** A pod with the volumes of its claims, in the place of any others of their names. */
export function withClaims(set: StoredStateful, pod: DeepReadonly<Pod>): DeepReadonly<Pod> {
  const claims = claimsOf(set, pod);
  const { volumes: before = [] } = pod.spec;
  const own = [...claims].map(([name, { metadata }]) => ({
    name,
    persistentVolumeClaim: { claimName: metadata.name ?? "" },
  }));
  const volumes = [...own, ...before.filter(({ name }) => !claims.has(name))];
  return { ...pod, spec: { ...pod.spec, ...(volumes.length === 0 ? {} : { volumes }) } };
}

/** Whether a pod has the volumes of its claims. */
export function hasClaims(set: StoredStateful, pod: SomePod): boolean {
  return [...claimsOf(set, pod)].every(([name, { metadata }]) =>
    pod.spec.volumes?.some(
      (volume) => volume.name === name && volume.persistentVolumeClaim?.claimName === metadata.name,
    ),
  );
}

/** What a claim is judged by. */
export interface ClaimContext {
  readonly set: StoredStateful;
  readonly pod: SomePod;
}

/**
 * The owners that a claim is to have; undefined when they are so already, or not ours to change.
 *
 * With `whenDeleted: Delete` the set is an owner, so that the claim goes with it; with `whenScaled: Delete` a pod that is too
 * many is, so that the claim goes with the pod.
 */
export function claimOwners(claim: SomeClaim, context: ClaimContext): References | undefined {
  const { set, pod } = context;
  const before = claim.metadata.ownerReferences ?? [];
  if (hasStale(before, set, StatefulSet) || hasStale(before, pod, Pod)) return undefined;
  const others = before.filter((reference) => !refersTo(reference, set, StatefulSet) && !refersTo(reference, pod, Pod));
  const isOurs = others.length < before.length;
  if (hasOtherController(before, context)) return isOurs ? others : undefined;
  const wanted = ownersWanted(context);
  const isRight =
    before.length === others.length + wanted.length &&
    wanted.every((owner) => before.some(({ uid, controller }) => uid === owner.uid && controller === true));
  return isRight ? undefined : [...others, ...wanted];
}

/** Whether somebody else controls a claim, which the policy then cannot. */
export function hasOtherController(before: References, { set, pod }: ClaimContext): boolean {
  const { whenScaled = "Retain", whenDeleted = "Retain" } = set.spec?.persistentVolumeClaimRetentionPolicy ?? {};
  if (whenScaled === "Retain" && whenDeleted === "Retain") return false;
  return before.some((reference) => {
    if (refersTo(reference, set, StatefulSet)) return reference.uid !== set.metadata.uid;
    if (refersTo(reference, pod, Pod)) return reference.uid !== pod.metadata.uid;
    return reference.controller === true;
  });
}

/** Whether a claim belongs to an earlier pod of the same name, with which it is going to go. */
export function isOfEarlierPod(claim: SomeClaim, pod: SomePod): boolean {
  return hasStale(claim.metadata.ownerReferences ?? [], pod, Pod);
}

function ownersWanted({ set, pod }: ClaimContext): readonly OwnerReference[] {
  const { whenScaled = "Retain", whenDeleted = "Retain" } = set.spec?.persistentVolumeClaimRetentionPolicy ?? {};
  if (whenScaled === "Delete" && !isInRange(pod, set)) return [reference(pod, Pod)];
  return whenDeleted === "Delete" ? [reference(set, StatefulSet)] : [];
}

type Kind = { readonly group: string; readonly version: string; readonly kind: string };

function apiVersionOf({ group, version }: Kind): string {
  return group === "" ? version : `${group}/${version}`;
}

function reference({ metadata }: DeepReadonly<KubeObject>, kind: Kind): OwnerReference {
  const { name = "", uid = "" } = metadata;
  return { apiVersion: apiVersionOf(kind), kind: kind.kind, name, uid, controller: true, blockOwnerDeletion: true };
}

function refersTo(owner: DeepReadonly<OwnerReference>, { metadata }: DeepReadonly<KubeObject>, kind: Kind): boolean {
  return owner.apiVersion === apiVersionOf(kind) && owner.kind === kind.kind && owner.name === metadata.name;
}

function hasStale(owners: References, object: DeepReadonly<KubeObject>, kind: Kind): boolean {
  const owner = owners.find((one) => refersTo(one, object, kind));
  return owner !== undefined && owner.uid !== object.metadata.uid;
}
