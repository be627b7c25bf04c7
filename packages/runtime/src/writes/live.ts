import {
  asStored,
  type DeepReadonly,
  jitter,
  type KubeObject,
  NotFoundError,
  type ObjectKey,
  type Random,
  type Stored,
} from "@homeostat/core";
import type { ReconcileScope } from "./reconcile-scope.ts";

/** Maximum number of attempts of a write that conflicts with writes of other clients. */
export const attemptsMax = 4;

/** Returns the delay after an attempt, from 1: 10 ms, then five times as long each time, with jitter. */
export function pauseMs(attempt: number, random: Random): number {
  return jitter(random, 10 * 5 ** (attempt - 1), 0.5);
}

/** Reports whether an error means that the object does not exist. A 404 for an unknown kind has no name in its details. */
export function isNotFound(error: unknown): boolean {
  return error instanceof NotFoundError && error.hasStatus && error.details.name !== undefined;
}

/** Reads the live primary object after a delay; undefined when it was deleted, or recreated under the same name. */
export async function readLive(
  { client, clock, random, signal, object, type }: ReconcileScope,
  attempt: number,
): Promise<Stored<KubeObject> | undefined> {
  await clock.sleep(pauseMs(attempt, random), signal);
  const live = await client.get(type, nameOf(object), { signal });
  return live === undefined || live.metadata.uid !== object.metadata.uid ? undefined : asStored(live);
}

/** Returns name and namespace of an object for a request. */
export function nameOf({ metadata: { name = "", namespace = "" } }: DeepReadonly<KubeObject>): ObjectKey {
  return namespace === "" ? { name } : { namespace, name };
}
