import type { DeepReadonly, KubeObject, Stored } from "@homeostat/core";
import { type Difference, differences, pathOf } from "./compare.ts";
import type { DesiredObject } from "./desired.ts";
import type { Ownership, StampedObject } from "./ownership.ts";

/** How differences of a kind are treated. */
export interface KindRules {
  /** Paths that are not compared, because the API server fills them in or nothing can change them. */
  readonly ignore: readonly string[];
  /** Paths that cannot be changed: a difference replaces the object. */
  readonly replaceOn: readonly string[];
}

/** The next step for one desired object. */
export type ObjectStep =
  | { readonly do: "nothing"; readonly live: Stored<KubeObject> }
  | { readonly do: "create" }
  | { readonly do: "adopt"; readonly live: Stored<KubeObject>; readonly found: readonly Difference[] }
  /** `isDrift`: what is desired is what was written last, so another client has changed the object. */
  | {
      readonly do: "update" | "replace";
      readonly live: Stored<KubeObject>;
      readonly found: readonly Difference[];
      readonly isDrift: boolean;
    }
  | { readonly do: "refuse"; readonly error: Error };

/** What a step is decided from. */
export interface ObjectState {
  readonly desired: DesiredObject;
  /** The desired object with reference, mark and hash. */
  readonly stamped: StampedObject;
  readonly live: Stored<KubeObject> | undefined;
  readonly owner: Stored<KubeObject>;
  readonly ownership: Ownership;
  readonly rules: KindRules;
  /** Reports whether this very object was written before with the same content, and the API server made of it what is live. */
  readonly isSettled: (live: Stored<KubeObject>, stamped: DeepReadonly<KubeObject>) => boolean;
}

/** Decides what to do about one desired object. Pure. */
export function decideObject({ desired, stamped, live, owner, ownership, rules, isSettled }: ObjectState): ObjectStep {
  if (live === undefined) return { do: "create" };
  const refusal = ownership.refusal(owner, live);
  const isForeign = !ownership.owns(owner, live);
  if (refusal !== undefined && !(isForeign && canAdopt(desired, live))) return { do: "refuse", error: refusal };
  const found = differences(stamped, live, rules);
  if (isForeign) return { do: "adopt", live, found };
  if (found.length === 0 || isSettled(live, stamped)) return { do: "nothing", live };
  const before = ownership.desiredHashOf(live);
  const isDrift = before === undefined || before === ownership.desiredHashOf(stamped);
  const isFixed = found.some((difference) => isWithin(pathOf(difference), rules.replaceOn));
  return { do: isFixed ? "replace" : "update", live, found, isDrift };
}

/** An object that is being deleted, or that has a controller, belongs to that; consent cannot change it. */
function canAdopt({ adopt }: DesiredObject, live: Stored<KubeObject>): boolean {
  const { deletionTimestamp, ownerReferences = [] } = live.metadata;
  const hasController = ownerReferences.some(({ controller }) => controller === true);
  return deletionTimestamp === undefined && !hasController && adopt?.(live) === true;
}

function isWithin(path: string, paths: readonly string[]): boolean {
  return paths.some((fixed) => path === fixed || path.startsWith(`${fixed}.`));
}
