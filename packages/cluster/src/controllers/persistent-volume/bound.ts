import { type DeepReadonly, isEqual, isList, isRecord, type KubeObject } from "@homeostat/core";
import type { PersistentVolumeClaimStatus } from "@homeostat/kubernetes/core/v1";
import { type Claim, hasAnnotation, annotation, type Volume } from "./volumes.ts";

/** Returns the volume bound to the claim; the same object when it is bound already. */
export function boundVolume(volume: Volume, claim: Claim): Volume {
  const { name = "", namespace = "", uid = "", resourceVersion = "" } = claim.metadata;
  const before = volume.spec?.claimRef;
  const isClaimed = before?.name === name && before.namespace === namespace && before.uid === uid;
  // A volume that an administrator reserved by hand stays reserved when the claim is deleted, so it is not marked as
  // bound by the controller.
  const isReserved = before?.name === name && before.namespace === namespace;
  const isMarked = isReserved || hasAnnotation(volume, annotation.boundByController);
  if (isClaimed && isMarked) return volume;
  const claimRef = { apiVersion: "v1", kind: "PersistentVolumeClaim", name, namespace, resourceVersion, uid };
  const annotations = isMarked
    ? {}
    : { annotations: { ...volume.metadata.annotations, [annotation.boundByController]: "yes" } };
  return {
    ...volume,
    metadata: { ...volume.metadata, ...annotations },
    spec: { ...volume.spec, claimRef: isClaimed ? before : claimRef },
  };
}

/** Returns the claim bound to the volume; the same object when it is bound already. */
export function boundClaim(claim: Claim, volume: Volume): Claim {
  const { name = "" } = volume.metadata;
  const isChosen = claim.spec?.volumeName === name;
  const annotations = {
    ...claim.metadata.annotations,
    ...(isChosen || hasAnnotation(claim, annotation.boundByController)
      ? {}
      : { [annotation.boundByController]: "yes" }),
    ...(hasAnnotation(claim, annotation.bindCompleted) ? {} : { [annotation.bindCompleted]: "yes" }),
  };
  if (isChosen && isEqual(annotations, claim.metadata.annotations)) return claim;
  return { ...claim, metadata: { ...claim.metadata, annotations }, spec: { ...claim.spec, volumeName: name } };
}

/** Returns the status of a claim in a phase, with modes and capacity of its volume. */
export function claimStatus(
  claim: Claim,
  { phase, volume }: { readonly phase: "Pending" | "Bound" | "Lost"; readonly volume?: Volume },
): DeepReadonly<PersistentVolumeClaimStatus> {
  const { accessModes: _modes, capacity, currentVolumeAttributesClassName, ...before } = claim.status ?? {};
  if (volume === undefined) return { ...before, phase };
  const { accessModes, capacity: held = {}, volumeAttributesClassName } = volume.spec ?? {};
  // The size of a bound claim changes only by expansion.
  const size = claim.status?.phase === phase && capacity !== undefined ? capacity : held;
  const attributes = claim.status?.phase === "Pending" ? volumeAttributesClassName : currentVolumeAttributesClassName;
  return {
    ...before,
    phase,
    ...(accessModes === undefined ? {} : { accessModes }),
    capacity: size,
    ...(attributes === undefined ? {} : { currentVolumeAttributesClassName: attributes }),
  };
}

/** Returns the keys of the claims that a pod uses. */
export function podClaims({ metadata, ...pod }: DeepReadonly<KubeObject>): readonly string[] {
  const spec: unknown = "spec" in pod ? pod.spec : undefined;
  const volumes: unknown = isRecord(spec) ? spec["volumes"] : undefined;
  if (!isList(volumes)) return [];
  return volumes.flatMap((volume) => {
    if (!isRecord(volume)) return [];
    const claim = volume["persistentVolumeClaim"];
    if (isRecord(claim)) return [`${metadata.namespace}/${String(claim["claimName"])}`];
    // The claim of an ephemeral volume is named after pod and volume.
    return isRecord(volume["ephemeral"]) ? [`${metadata.namespace}/${metadata.name}-${String(volume["name"])}`] : [];
  });
}
