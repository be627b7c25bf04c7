import { type DeepReadonly, quantityFromJSON } from "@homeostat/core";
import type { PersistentVolumeClaim } from "@homeostat/kubernetes/core/v1";

/** Decision about the size of the volumes of a StatefulSet. */
export type VolumeGrowth =
  /** Every claim has the desired size, and new claims get it, too. */
  | { readonly state: "settled" }
  /** The size cannot change; the pods keep running with the current one. */
  | {
      readonly state: "refused";
      readonly reason: "ExpansionNotSupported" | "ShrinkNotSupported";
      readonly message: string;
    }
  | {
      readonly state: "growing";
      /** Names of the claims whose request must be raised. */
      readonly claims: readonly string[];
      /** True if the StatefulSet must be recreated while its pods keep running, because its claim template is immutable. */
      readonly isTemplateOld: boolean;
      readonly message: string;
    };

/** Input of {@link decideVolumeGrowth}. */
export interface VolumeGrowthInput {
  readonly desired: string;
  /** Size in the claim template; undefined without a StatefulSet. */
  readonly template: string | undefined;
  readonly claims: readonly DeepReadonly<PersistentVolumeClaim>[];
  /** True if the storage class allows expansion; undefined if unknown, so that the API server decides. */
  readonly canExpand?: boolean | undefined;
}

/** Decides how volumes reach the desired size: claims first, the claim template only when all of them request enough. */
export function decideVolumeGrowth({ desired, template, claims, canExpand }: VolumeGrowthInput): VolumeGrowth {
  const small = claims.filter((claim) => compare(requestOf(claim), desired) < 0).map(nameOf);
  if (small.length > 0) {
    if (canExpand === false) {
      const message = `the storage class does not allow volume expansion, so volumes cannot grow to ${desired}`;
      return { state: "refused", reason: "ExpansionNotSupported", message };
    }
    const message = `requesting ${desired} for ${small.join(", ")}`;
    return { state: "growing", claims: small, isTemplateOld: false, message };
  }
  const sizes = [...claims.map(requestOf), ...(template === undefined ? [] : [template])];
  const larger = sizes.find((size) => compare(size, desired) > 0);
  if (larger !== undefined) {
    const message = `volumes cannot shrink from ${larger} to ${desired}`;
    return { state: "refused", reason: "ShrinkNotSupported", message };
  }
  const isTemplateOld = template !== undefined && compare(template, desired) < 0;
  // Claims that are not bound yet are provisioned with the requested size.
  const waiting = claims.filter((claim) => compare(capacityOf(claim) ?? desired, desired) < 0).map(nameOf);
  if (!isTemplateOld && waiting.length === 0) return { state: "settled" };
  const message = waiting.length === 0 ? "new volumes get the new size" : `waiting for ${waiting.join(", ")}`;
  return { state: "growing", claims: [], isTemplateOld, message };
}

function capacityOf({ status }: DeepReadonly<PersistentVolumeClaim>): string | number | undefined {
  return status?.capacity?.["storage"];
}

function requestOf({ spec }: DeepReadonly<PersistentVolumeClaim>): string {
  return String(spec?.resources?.requests?.["storage"] ?? "0");
}

function nameOf({ metadata }: DeepReadonly<PersistentVolumeClaim>): string {
  return metadata.name ?? "";
}

function compare(a: string | number, b: string | number): number {
  return quantityFromJSON(a).compareTo(quantityFromJSON(b));
}
