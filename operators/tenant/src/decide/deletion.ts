// What becomes of a tenant that is being deleted: the decisions of section 13, without a request.

import type { DeepReadonly } from "@homeostat/core";
import type { Namespace } from "@homeostat/kubernetes/core/v1";
import { annotations } from "../api/identity.ts";
import { isOwned, type OwningTenant } from "../ownership/owned.ts";

/** A tenant that is being deleted. */
export interface LeavingTenant extends OwningTenant {
  readonly metadata: OwningTenant["metadata"] & { readonly finalizers?: readonly string[] | undefined };
  readonly spec: OwningTenant["spec"] & { readonly deletionProtection?: boolean | undefined };
}

/** Whether the namespace goes with the tenant, or stays without it, and why. */
export type Mode = { readonly is: "delete" } | { readonly is: "orphan"; readonly why: string };

/** What `kubectl delete --cascade=orphan` leaves on an object. */
const orphanFinalizer = "orphan";

/** Decides what becomes of the namespace. `isKindLeaving`: the CRD of tenants is being deleted. */
export function deletionMode(
  { metadata, spec }: LeavingTenant,
  { isKindLeaving }: { readonly isKindLeaving: boolean },
): Mode {
  if (spec.deletionPolicy === "Retain") return { is: "orphan", why: "its deletion policy is Retain" };
  if (metadata.finalizers?.includes(orphanFinalizer) ?? false) {
    return { is: "orphan", why: "it was deleted without what belongs to it" };
  }
  // Nobody who is asked would have let it go; then at least the data stays.
  if (spec.deletionProtection === true) return { is: "orphan", why: "it is protected from deletion" };
  // Removing the operator must not erase customers.
  if (isKindLeaving) return { is: "orphan", why: "the kind Tenant itself is being removed" };
  return { is: "delete" };
}

/** What to do next with the namespace of a tenant that is being deleted. */
export type DeletionStep =
  /** There is nothing left. */
  | { readonly do: "finish" }
  /** The namespace and what is in it stay; nothing of it refers to the tenant any more. */
  | { readonly do: "release"; readonly why: string }
  /** It is somebody else's. */
  | { readonly do: "leave" }
  /** It was there before: only what was made in it goes. */
  | { readonly do: "empty" }
  | { readonly do: "delete" }
  | { readonly do: "wait" };

/** Decides what to do next. `found` was read just now, from the server itself. */
export function deletionStep(
  found: DeepReadonly<Namespace> | undefined,
  tenant: LeavingTenant,
  mode: Mode,
): DeletionStep {
  if (found === undefined) return { do: "finish" };
  if (!isOwned(found, tenant)) return { do: "leave" };
  if (mode.is === "orphan") return { do: "release", why: mode.why };
  if (isAdopted(found)) return { do: "empty" };
  return { do: found.metadata.deletionTimestamp === undefined ? "delete" : "wait" };
}

/** Whether a namespace was there before its tenant, and is never deleted. */
export function isAdopted({ metadata }: DeepReadonly<Namespace>): boolean {
  const notes = metadata.annotations ?? {};
  return Object.hasOwn(notes, annotations.adopted) && notes[annotations.adopted] === "true";
}

const pollMinMs = 5_000;
const pollMaxMs = 60_000;

/** How long until the next look at a namespace that is on its way out: as long as it has been, from 5 s to 60 s. */
export function pollDelayMs(elapsedMs: number): number {
  let [delayMs, endMs] = [pollMinMs, pollMinMs];
  while (endMs <= elapsedMs && delayMs < pollMaxMs) {
    delayMs = Math.min(pollMaxMs, delayMs * 2);
    endMs += delayMs;
  }
  return delayMs;
}

/** After so long a namespace is stuck. */
export const stuckAfterMs = 600_000;

/** What the namespace itself says about why it is not gone. */
const telling: ReadonlySet<string> = new Set([
  "NamespaceDeletionDiscoveryFailure",
  "NamespaceDeletionContentFailure",
  "NamespaceDeletionGroupVersionParsingFailure",
  "NamespaceContentRemaining",
  "NamespaceFinalizersRemaining",
]);

/** What holds a namespace, in its own words; empty when it says nothing. */
export function whatHolds({ status }: DeepReadonly<Namespace>): string {
  return (status?.conditions ?? [])
    .filter(({ type, status: is }) => is === "True" && telling.has(type))
    .map(({ type, message = "" }) => (message === "" ? type : message))
    .join("; ");
}
