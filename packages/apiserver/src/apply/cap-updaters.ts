import { identityText, type ManagerEntry, type Managers } from "./managers.ts";
import { secondsOf } from "./managed-fields.ts";
import { compareBytes } from "../codec/go-text.ts";

/** Number of Update entries in `managedFields` above which the oldest are merged into one. */
export const updatersMax = 10;

const bucketName = "ancient-changes";

/**
 * Returns the managers with at most ten Update entries: the oldest entries of each version are merged into one entry
 * named `ancient-changes`. Without the cap, clients that change their user agent would grow the object with every
 * write.
 *
 * The first old entry of a version is only merged together with a second one of the same version, since fields are
 * owned per version. An object written in many versions may therefore keep more than ten entries. Same rules as
 * `internal/capmanagers.go` of apimachinery.
 */
export function capUpdaters(managers: Managers): Managers {
  const updaters = [...managers].filter(([, { operation }]) => operation === "Update");
  let excess = updaters.length - updatersMax;
  if (excess <= 0) return managers;
  updaters.sort(([a, left], [b, right]) => secondsOf(left.time) - secondsOf(right.time) || compareBytes(a, b));
  const capped = new Map(managers);
  const firstOf = new Map<string, string>();
  for (const [identity, updater] of updaters) {
    if (excess <= 0) break;
    const first = firstOf.get(updater.apiVersion);
    if (first === undefined) {
      firstOf.set(updater.apiVersion, identity);
      continue;
    }
    mergeIntoBucket(capped, first, identity, updater);
    excess -= 1;
  }
  return capped;
}

function mergeIntoBucket(
  managers: Map<string, ManagerEntry>,
  first: string,
  identity: string,
  updater: ManagerEntry,
): void {
  const { apiVersion, time } = updater;
  const bucket = { manager: bucketName, operation: "Update", apiVersion, subresource: "" } as const;
  const bucketIdentity = identityText(bucket);
  const oldest = managers.get(bucketIdentity) ?? managers.get(first);
  if (!managers.has(bucketIdentity)) managers.delete(first);
  managers.delete(identity);
  // The time of this entry is the newest one, because entries are merged oldest first.
  managers.set(bucketIdentity, {
    ...bucket,
    set: oldest === undefined ? updater.set : updater.set.union(oldest.set),
    time,
  });
}
