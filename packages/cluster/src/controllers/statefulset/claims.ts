// Claims of the pods of a StatefulSet, and the owners that its retention policy gives them.
//
// A claim belongs to an ordinal, not to a pod: it outlives the pod, and the next pod with that ordinal uses it again. By default nothing
// deletes it, even when the StatefulSet is deleted. The retention policy works through owner references alone, so the garbage collector
// does the deletion, and a claim that another controller owns is left to that one.

import type { DeepReadonly, KubeObject, OwnerReference } from "@homeostat/core";
import { StatefulSet } from "@homeostat/kubernetes/apps/v1";
import { type PersistentVolumeClaim, Pod } from "@homeostat/kubernetes/core/v1";
import type { SomePod } from "../pods/pod-state.ts";
import { isInRange, ordinalOf, type StoredStateful } from "./ordinals.ts";

/** A claim, stored or not created yet. */
export type SomeClaim = DeepReadonly<PersistentVolumeClaim>;

type References = readonly DeepReadonly<OwnerReference>[];

/** Returns the name of the claim of a pod for a volume claim template. */
export function claimName(template: string, set: StoredStateful, ordinal: number): string {
  return `${template}-${set.metadata.name}-${ordinal}`;
}

/** Returns the desired claims of a pod, by volume name. */
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

/** Returns a pod with the volumes of its claims. They replace volumes of the same names in the template. */
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

/** Reports whether a pod has the volumes of its claims. */
export function hasClaims(set: StoredStateful, pod: SomePod): boolean {
  return [...claimsOf(set, pod)].every(([name, { metadata }]) =>
    pod.spec.volumes?.some(
      (volume) => volume.name === name && volume.persistentVolumeClaim?.claimName === metadata.name,
    ),
  );
}

/** The StatefulSet and the pod of a claim. */
export interface ClaimContext {
  readonly set: StoredStateful;
  readonly pod: SomePod;
}

/**
 * Returns the desired owner references of a claim; undefined when they are right, or when another owner's reference
 * prevents a change.
 *
 * With `whenDeleted: Delete` the StatefulSet is an owner, so the garbage collector deletes the claim with it. With
 * `whenScaled: Delete` a surplus pod is the owner, so the claim is deleted with the pod.
 */
export function claimOwners(claim: SomeClaim, context: ClaimContext): References | undefined {
  const { set, pod } = context;
  const before = claim.metadata.ownerReferences ?? [];
  if (hasStale(before, set, StatefulSet) || hasStale(before, pod, Pod)) return undefined;
  const others = before.filter((reference) => !refersTo(reference, set, StatefulSet) && !refersTo(reference, pod, Pod));
  const isOurs = others.length < before.length;
  if (hasOtherController(before, context)) return isOurs ? others : undefined;
  const desired = desiredOwners(context);
  const isRight =
    before.length === others.length + desired.length &&
    desired.every((owner) => before.some(({ uid, controller }) => uid === owner.uid && controller === true));
  return isRight ? undefined : [...others, ...desired];
}

/** Reports whether another controller owns the claim. The retention policy is not applied then. */
export function hasOtherController(before: References, { set, pod }: ClaimContext): boolean {
  const { whenScaled = "Retain", whenDeleted = "Retain" } = set.spec?.persistentVolumeClaimRetentionPolicy ?? {};
  if (whenScaled === "Retain" && whenDeleted === "Retain") return false;
  return before.some((reference) => {
    if (refersTo(reference, set, StatefulSet)) return reference.uid !== set.metadata.uid;
    if (refersTo(reference, pod, Pod)) return reference.uid !== pod.metadata.uid;
    return reference.controller === true;
  });
}

/**
 * Reports whether a claim is owned by an earlier pod of the same name; the garbage collector will delete it with that
 * pod.
 */
export function isOfEarlierPod(claim: SomeClaim, pod: SomePod): boolean {
  return hasStale(claim.metadata.ownerReferences ?? [], pod, Pod);
}

function desiredOwners({ set, pod }: ClaimContext): readonly OwnerReference[] {
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
