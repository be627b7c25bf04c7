import type { Propagation } from "@homeostat/client";
import type { DeepReadonly, OwnerReference } from "@homeostat/core";
import { foregroundFinalizer, type Misplaced, orphanFinalizer } from "./owner-graph.ts";

/** State of an owner from the point of view of a dependent; the words are those of garbagecollector.go. */
export type Standing =
  /** The owner exists. */
  | "solid"
  /** The owner does not exist in this namespace, or has another uid. */
  | "dangling"
  /** The owner is being deleted in the foreground and waits for its dependents. */
  | "waiting";

/** Observed state of an object with owners. */
export interface Candidate {
  readonly finalizers: readonly string[];
  readonly owners: readonly { readonly uid: string; readonly standing: Standing }[];
  /** The objects that it owns itself. */
  readonly dependents: readonly { readonly isForeground: boolean }[];
}

/** The decision of the garbage collector about one object. */
export type Decision =
  | { readonly type: "keep" }
  /** Keep the object and remove these owner references. */
  | { readonly type: "release"; readonly uids: readonly string[] }
  /** Delete the object. `unblock`: first set `blockOwnerDeletion` of its owner references to false. */
  | { readonly type: "delete"; readonly propagation: Propagation; readonly unblock: boolean };

/**
 * Decides about an object with owners, by the rules of `attemptToDeleteItem` in garbagecollector.go:
 *
 * - At least one solid owner: keep the object and remove the references to all other owners.
 * - No solid owner, an owner waits in the foreground, and the object has dependents: delete it in the foreground too,
 *   so that the dependents go first. If one of the dependents is itself being deleted in the foreground, the two
 *   could be in a cycle of blocking references and wait for each other forever, so the object stops blocking its
 *   owner.
 * - Otherwise: delete it with the policy that its finalizers ask for.
 */
export function decide({ finalizers, owners, dependents }: Candidate): Decision {
  if (owners.length === 0) return { type: "keep" };
  const isWaitedFor = owners.some(({ standing }) => standing === "waiting");
  if (owners.some(({ standing }) => standing === "solid")) {
    const uids = owners.filter(({ standing }) => standing !== "solid").map(({ uid }) => uid);
    return uids.length === 0 ? { type: "keep" } : { type: "release", uids };
  }
  if (isWaitedFor && dependents.length > 0) {
    return { type: "delete", propagation: "Foreground", unblock: dependents.some(({ isForeground }) => isForeground) };
  }
  return { type: "delete", propagation: propagationOf(finalizers), unblock: false };
}

/**
 * Returns the propagation policy that the finalizers of an earlier delete request set; Background when there are
 * none.
 */
function propagationOf(finalizers: readonly string[]): Propagation {
  if (finalizers.includes(orphanFinalizer)) return "Orphan";
  return finalizers.includes(foregroundFinalizer) ? "Foreground" : "Background";
}

/** Returns the owner references without those to the given owners. */
export function withoutOwners(
  references: readonly DeepReadonly<OwnerReference>[],
  uids: readonly string[],
): readonly DeepReadonly<OwnerReference>[] {
  return references.filter(({ uid }) => !uids.includes(uid));
}

/** Returns the owner references with `blockOwnerDeletion` set to false. */
export function unblocked(
  references: readonly DeepReadonly<OwnerReference>[],
): readonly DeepReadonly<OwnerReference>[] {
  return references.map((reference) =>
    reference.blockOwnerDeletion === true ? { ...reference, blockOwnerDeletion: false } : reference,
  );
}

/** Returns the message of the event about an owner reference to another namespace. */
export function misplacedMessage({ dependent: { namespace }, owner }: Misplaced): string {
  const { apiVersion, kind, name, uid } = owner;
  const reference = `[${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}]`;
  return `ownerRef ${reference} does not exist in namespace ${JSON.stringify(namespace)}`;
}
