import type { Propagation } from "@homeostat/client";
import type { DeepReadonly, OwnerReference } from "@homeostat/core";
import { foregroundFinalizer, type Misplaced, orphanFinalizer } from "./owner-graph.ts";

/** Where an owner stands, as far as the object that names it is concerned. */
export type Standing =
  /** It is there. */
  | "solid"
  /** It is not there: not in this namespace, or not with this uid. */
  | "dangling"
  /** It is there, on its way out, and waits for those that it owns. */
  | "waiting";

/** What is known of an object that may have to go. */
export interface Candidate {
  readonly finalizers: readonly string[];
  readonly owners: readonly { readonly uid: string; readonly standing: Standing }[];
  /** Those that it owns itself. */
  readonly dependents: readonly { readonly isForeground: boolean }[];
}

/** What is to be done about it. */
export type Verdict =
  | { readonly type: "keep" }
  /** It stays, and these references to owners go. */
  | { readonly type: "release"; readonly uids: readonly string[] }
  /** It goes. `unblock`: its own references are to stop blocking first, or two would wait for each other. */
  | { readonly type: "delete"; readonly propagation: Propagation; readonly unblock: boolean };

/** Decides about an object with owners. */
export function judge({ finalizers, owners, dependents }: Candidate): Verdict {
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

/** What somebody has asked for before counts. */
function propagationOf(finalizers: readonly string[]): Propagation {
  if (finalizers.includes(orphanFinalizer)) return "Orphan";
  return finalizers.includes(foregroundFinalizer) ? "Foreground" : "Background";
}

/** The owner references that are left without these owners. */
export function withoutOwners(
  references: readonly DeepReadonly<OwnerReference>[],
  uids: readonly string[],
): readonly DeepReadonly<OwnerReference>[] {
  return references.filter(({ uid }) => !uids.includes(uid));
}

/** The references such that none of them holds its owner up. */
export function unblocked(
  references: readonly DeepReadonly<OwnerReference>[],
): readonly DeepReadonly<OwnerReference>[] {
  return references.map((reference) =>
    reference.blockOwnerDeletion === true ? { ...reference, blockOwnerDeletion: false } : reference,
  );
}

/** What the event about an owner in another namespace says. */
export function misplacedMessage({ dependent: { namespace }, owner }: Misplaced): string {
  const { apiVersion, kind, name, uid } = owner;
  const reference = `[${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}]`;
  return `ownerRef ${reference} does not exist in namespace ${JSON.stringify(namespace)}`;
}
