import { identityText, type ManagerEntry, type Managers } from "./managers.ts";
import { secondsOf } from "./managed-fields.ts";
import { compareBytes } from "../codec/go-text.ts";

/** How many updaters an object has at most before the oldest are put together. */
export const updatersMax = 10;

const bucketName = "ancient-changes";

/**
 * The managers with no more than ten updaters: the oldest of each version are put together as `ancient-changes`.
 *
 * A single old updater of a version keeps its name; so there may be more when they write in many versions.
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
    putTogether(capped, first, identity, updater);
    excess -= 1;
  }
  return capped;
}

function putTogether(
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
  // The time of what came last, which is this one: they come oldest first.
  managers.set(bucketIdentity, {
    ...bucket,
    set: oldest === undefined ? updater.set : updater.set.union(oldest.set),
    time,
  });
}
