import type { DeepReadonly, KubeObject, Stored } from "@homeostat/core";
import { type Difference, differences, pathOf } from "./compare.ts";
import type { DesiredObject } from "./desired.ts";
import type { Ownership, StampedObject } from "./ownership.ts";

/** Rules for differences of a kind. */
export interface KindRules {
  /** Paths that are not compared, because the API server sets them or they are immutable. */
  readonly ignore: readonly string[];
  /** Immutable paths: if they differ, the object is deleted and created again. */
  readonly replaceOn: readonly string[];
}

/** The next step for one desired object. */
export type ObjectStep =
  | { readonly do: "nothing"; readonly live: Stored<KubeObject> }
  | { readonly do: "create" }
  /** Nothing differs, but the periodic apply is due. */
  | { readonly do: "reapply"; readonly live: Stored<KubeObject> }
  | { readonly do: "adopt"; readonly live: Stored<KubeObject>; readonly found: readonly Difference[] }
  /** `isDrift`: the desired state is the one that was written last, so another client has changed the object. */
  | {
      readonly do: "update" | "replace";
      readonly live: Stored<KubeObject>;
      readonly found: readonly Difference[];
      readonly isDrift: boolean;
    }
  | { readonly do: "refuse"; readonly error: Error };

/** Input of {@link decideObject}. */
export interface ObjectState {
  readonly desired: DesiredObject;
  /** The desired object with controller reference, ownership mark and hash. */
  readonly stamped: StampedObject;
  readonly live: Stored<KubeObject> | undefined;
  readonly owner: Stored<KubeObject>;
  readonly ownership: Ownership;
  readonly rules: KindRules;
  /** Reports whether the same content was written before and resulted in exactly the live object; see `ApplyMemory.isSettled`. */
  readonly isSettled: (live: Stored<KubeObject>, stamped: DeepReadonly<KubeObject>) => boolean;
  /** True if the object is to be applied although nothing differs; see `SyncOptions.reapplyMs`. */
  readonly isDue: boolean;
}

/**
 * Decides what to do about one desired object. Pure.
 *
 * The ownership mark contains a hash of the desired state that was last written. If it equals the hash of the current desired state, the
 * controller has not changed its mind, and a difference is drift. Otherwise the difference is an update of the desired state.
 */
export function decideObject({
  desired,
  stamped,
  live,
  owner,
  ownership,
  rules,
  isSettled,
  isDue,
}: ObjectState): ObjectStep {
  if (live === undefined) return { do: "create" };
  const refusal = ownership.refusal(owner, live);
  const isForeign = !ownership.owns(owner, live);
  if (refusal !== undefined && !(isForeign && canAdopt(desired, live))) return { do: "refuse", error: refusal };
  const found = differences(stamped, live, rules);
  if (isForeign) return { do: "adopt", live, found };
  if (found.length === 0 || isSettled(live, stamped)) return { do: isDue ? "reapply" : "nothing", live };
  const before = ownership.desiredHashOf(live);
  const isDrift = before === undefined || before === ownership.desiredHashOf(stamped);
  const isImmutable = found.some((difference) => isWithin(pathOf(difference), rules.replaceOn));
  return { do: isImmutable ? "replace" : "update", live, found, isDrift };
}

/** Reports whether an object may be adopted. Never one that is being deleted or has a controller owner, even if `adopt` agrees. */
function canAdopt({ adopt }: DesiredObject, live: Stored<KubeObject>): boolean {
  const { deletionTimestamp, ownerReferences = [] } = live.metadata;
  const hasController = ownerReferences.some(({ controller }) => controller === true);
  return deletionTimestamp === undefined && !hasController && adopt?.(live) === true;
}

function isWithin(path: string, paths: readonly string[]): boolean {
  return paths.some((prefix) => path === prefix || path.startsWith(`${prefix}.`));
}
