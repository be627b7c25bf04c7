// The first start of a cluster: does it found a quorum, or does it continue one whose volumes were retained?
//
// Two quorums must never exist on the volumes of one. Controllers therefore found a quorum only if no volume of a former one exists. With
// retained volumes they rejoin, which needs a majority of the former voters: a minority would wait for ever, so it is refused by name.

import { names } from "../api/names.ts";
import type { ObservedClaim, PreviousStatus } from "../observe/observed.ts";
import { majorityOf } from "./quorum.ts";

/** Input of {@link decideBootstrap}. */
export interface BootstrapInput {
  readonly cluster: string;
  /** Desired number of controllers. */
  readonly controllers: number;
  readonly claims: readonly ObservedClaim[];
  /** True if the StatefulSet of the controllers exists. */
  readonly hasStatefulSet: boolean;
  /** True if the ConfigMap of the controllers records that the quorum has existed. */
  readonly isBootstrapRecorded: boolean;
  readonly previous: Pick<PreviousStatus, "bootstrapped">;
}

export type BootstrapDecision =
  /** The controllers found a quorum. */
  | { readonly type: "found" }
  /** The quorum has existed: controllers join it. */
  | { readonly type: "join" }
  /** The controllers rejoin on retained volumes. Record this in the ConfigMap before the StatefulSet is created. */
  | { readonly type: "reuse"; readonly claims: readonly string[] }
  /** A permanent error with the reason MinorityOfVolumes. */
  | {
      readonly type: "refused";
      readonly found: readonly string[];
      readonly missing: readonly string[];
      readonly message: string;
    };

/** Decides how the controllers start. */
export function decideBootstrap(input: BootstrapInput): BootstrapDecision {
  const { cluster, controllers, claims, hasStatefulSet, isBootstrapRecorded, previous } = input;
  if (previous.bootstrapped || isBootstrapRecorded) return { type: "join" };
  // Reused volumes are recorded before the StatefulSet exists, so these controllers were created to found a quorum.
  if (hasStatefulSet) return { type: "found" };
  // A retired claim belonged to a controller that was removed from the quorum by a scale-down.
  const retained = claims.filter((claim) => claim.component === "controller" && !claim.isRetired);
  if (retained.length === 0) return { type: "found" };
  const usable = retained.filter(({ ordinal, isTerminating }) => ordinal < controllers && !isTerminating);
  const recorded = retained.find(({ retainedControllers }) => retainedControllers !== undefined)?.retainedControllers;
  const former = recorded ?? Math.max(controllers, ...retained.map(({ ordinal }) => ordinal + 1));
  const needed = majorityOf(former);
  const found = usable.map(({ name }) => name);
  if (usable.length >= needed) return { type: "reuse", claims: found };
  const missing = Array.from({ length: former }, (_none, ordinal) =>
    names.claim(cluster, "controller", ordinal),
  ).filter((name) => !found.includes(name));
  const message =
    `${found.length} of ${former} volumes of the controllers are usable, and a quorum needs ${needed}. ` +
    `Found: ${list(found)}. Missing: ${list(missing)}. ` +
    "Either restore the missing claims and set spec.controllers to the former count, " +
    "or delete the claims that were found to start an empty cluster.";
  return { type: "refused", found, missing, message };
}

function list(found: readonly string[]): string {
  return found.length === 0 ? "none" : found.join(", ");
}
