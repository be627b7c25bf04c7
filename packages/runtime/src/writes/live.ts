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
import type { RunScope } from "./reconcile-scope.ts";

/** How often a write is tried that others get in the way of. */
export const triesMax = 4;

/** How long to wait before a try, of which the first is number 1: 10 ms, then five times as long each time, and some chance. */
export function pauseMs(tries: number, random: Random): number {
  return jitter(random, 10 * 5 ** (tries - 1), 0.5);
}

/** Whether an error says that there is no such object, rather than no such kind. */
export function isAbsence(error: unknown): boolean {
  return error instanceof NotFoundError && error.hasStatus && error.details.name !== undefined;
}

/** The object at hand as the server has it after a pause; undefined when it is gone, or when there is another of its name. */
export async function readAgain(
  { client, clock, random, signal, object, type }: RunScope,
  tries: number,
): Promise<Stored<KubeObject> | undefined> {
  await clock.sleep(pauseMs(tries, random), signal);
  const live = await client.get(type, nameOf(object), { signal });
  return live === undefined || live.metadata.uid !== object.metadata.uid ? undefined : asStored(live);
}

/** The names of an object, for a request. */
export function nameOf({ metadata: { name = "", namespace = "" } }: DeepReadonly<KubeObject>): ObjectKey {
  return namespace === "" ? { name } : { namespace, name };
}
