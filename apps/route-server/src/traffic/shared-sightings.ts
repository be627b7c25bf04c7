// Requests with a key that replicas show each other.
//
// A replica knows only the requests of its own proxies. Of two requests of a trace, the one with the key may have been reported to another
// replica than the one without. Each replica therefore writes a bounded sample of its requests with a key into the status of their table. The
// replica that has the request without the key compares, and counts, so that a loss is counted once.

import type { RouteTable } from "@homeostat/sandbox-operator";

/** A request with a key, as the status has it. */
export type SharedSighting = NonNullable<NonNullable<RouteTable["status"]>["keySightings"]>[string][number];

/** Requests that one replica shows at a time, of one table. */
export const sharedMax = 20;
/** Age from which a request is not shown any more. Other replicas have read it by then. */
export const shownMs = 30_000;
/** Age from which the requests of a replica that no longer removes them are removed by others. */
const abandonedMs = 600_000;

export interface SharedInput {
  readonly replica: string;
  /** True if other replicas have proxies that follow the table. */
  readonly hasOthers: boolean;
  /** Requests with a key of this replica, newest first. */
  readonly own: readonly SharedSighting[];
  readonly observed: Readonly<Record<string, readonly Readonly<SharedSighting>[]>>;
  readonly now: number;
}

/** Returns the requests to write by replica; null removes those of one. Undefined if nothing has to be written. */
export function planSightings(
  input: SharedInput,
): Readonly<Record<string, readonly SharedSighting[] | null>> | undefined {
  const { replica, hasOthers, own, observed, now } = input;
  const patch: Record<string, readonly SharedSighting[] | null> = {};
  const shown = hasOthers ? own.filter(({ at }) => now - at < shownMs).slice(0, sharedMax) : [];
  const before = new Set((observed[replica] ?? []).map(identityOf));
  if (shown.some((each) => !before.has(identityOf(each)))) patch[replica] = shown;
  for (const [name, sightings] of Object.entries(observed)) {
    const newest = Math.max(...sightings.map(({ at }) => at), 0);
    const keptMs = name === replica ? shownMs : abandonedMs;
    if (now - newest >= keptMs) patch[name] ??= null;
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}

function identityOf({ traceId, key, at }: Readonly<SharedSighting>): string {
  return `${traceId} ${key} ${at}`;
}
