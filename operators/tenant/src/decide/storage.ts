import type { DeepReadonly } from "homeostat";
import { quantityFromJSON } from "@homeostat/core";
import type { PersistentVolumeClaim } from "@homeostat/kubernetes/core/v1";

/** What to do about the size of the Redis volumes. */
export type StorageDecision =
  /** Every claim has at least the desired size, and new ones will have. */
  | { readonly state: "settled" }
  /** The size cannot change; Redis keeps running with its current one. */
  | {
      readonly state: "refused";
      readonly reason: "ExpansionNotSupported" | "ShrinkNotSupported";
      readonly message: string;
    }
  | {
      readonly state: "growing";
      /** Names of the claims whose request is to be raised. */
      readonly claims: readonly string[];
      /** Whether the StatefulSet must be replaced around its running pods, because its claim template is immutable. */
      readonly isTemplateOld: boolean;
      readonly message: string;
    };

/** Decides how to reach the desired size: claims first, the claim template only when all of them request enough. */
export function decideStorage({
  desired,
  template,
  claims,
  canExpand,
}: {
  readonly desired: string;
  /** The size in the claim template; undefined without a StatefulSet. */
  readonly template: string | undefined;
  readonly claims: readonly DeepReadonly<PersistentVolumeClaim>[];
  /** Whether the storage class allows expansion; undefined when unknown: then the API server decides. */
  readonly canExpand: boolean | undefined;
}): StorageDecision {
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
  // Claims that are not bound yet get the right size at once.
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
