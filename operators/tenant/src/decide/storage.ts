import { type DeepReadonly, quantityFromJSON } from "@homeostat/core";
import type { PersistentVolumeClaim } from "@homeostat/kubernetes/core/v1";

/** What becomes of the claims of a Redis whose wanted size has changed. */
export type Growth =
  /** Every claim has at least the wanted size, and new ones will have. */
  | { readonly at: "settled" }
  /** Nothing is to be changed, and Redis runs on with the size it has. */
  | {
      readonly at: "refused";
      readonly reason: "ExpansionNotSupported" | "ShrinkNotSupported";
      readonly message: string;
    }
  | {
      readonly at: "growing";
      /** The claims that do not ask for enough yet. */
      readonly claims: readonly string[];
      /** Whether the StatefulSet is to be made anew around its pods, because its template cannot be changed. */
      readonly isTemplateOld: boolean;
      readonly message: string;
    };

/**
 * Decides what to do about the size of the claims of Redis.
 *
 * Claims first, and the template only when all of them ask for enough: then there is nothing left that it could be needed for.
 */
export function growthOf({
  wanted,
  template,
  claims,
  canExpand,
}: {
  /** The size that is wanted. */
  readonly wanted: string;
  /** The size in the claim template of the StatefulSet; undefined when there is none. */
  readonly template: string | undefined;
  readonly claims: readonly DeepReadonly<PersistentVolumeClaim>[];
  /** What the storage class says; undefined when none is known: then the API server is asked by trying. */
  readonly canExpand: boolean | undefined;
}): Growth {
  const small = claims.filter((claim) => compare(requestOf(claim), wanted) < 0).map(nameOf);
  if (small.length > 0) {
    if (canExpand === false) {
      const message = `the storage class does not let volumes grow, so that they cannot have ${wanted}`;
      return { at: "refused", reason: "ExpansionNotSupported", message };
    }
    return { at: "growing", claims: small, isTemplateOld: false, message: `asking for ${wanted}: ${small.join(", ")}` };
  }
  const sizes = [...claims.map(requestOf), ...(template === undefined ? [] : [template])];
  const larger = sizes.find((size) => compare(size, wanted) > 0);
  if (larger !== undefined) {
    const message = `volumes cannot shrink: they have ${larger}, and ${wanted} is asked for`;
    return { at: "refused", reason: "ShrinkNotSupported", message };
  }
  const isTemplateOld = template !== undefined && compare(template, wanted) < 0;
  const waiting = claims.filter((claim) => isWaiting(claim, wanted)).map(nameOf);
  if (!isTemplateOld && waiting.length === 0) return { at: "settled" };
  const message = waiting.length === 0 ? "new volumes get the new size" : `waiting for ${waiting.join(", ")}`;
  return { at: "growing", claims: [], isTemplateOld, message };
}

/** Whether a claim is bound to a volume that is still smaller. One that is not bound yet gets the right size at once. */
function isWaiting({ status }: DeepReadonly<PersistentVolumeClaim>, wanted: string): boolean {
  const capacity = status?.capacity?.["storage"];
  return capacity !== undefined && compare(capacity, wanted) < 0;
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
