// Decides the next step of a takeover: putting the routing proxy in front of the pods of a Service, and removing it.
//
//   original ──▶ proxy Deployment ──▶ listening ports ──▶ Service of the baseline ──▶ proxies have confirmed ──▶ taken over
//      ▲                                                                                                           │
//      │◀── drained: Service of the baseline and ports removed ◀── 60 s ◀── endpoints ◀── restored ◀── linger ◀── no route
//
// Every step is derived from observed objects and from the few times in the status of the RouteTable. After a crash, at most the last step is
// repeated, and every step is idempotent. A step that changes the Service is a single write, so the Service always
// selects either the proxy or the baseline.

import { hasFinalizer } from "@homeostat/core";
import { finalizers } from "../api/identity.ts";
import { type CachedRouteTable, revertsMax, type TakeoverPhase } from "../api/route-table.ts";
import type { TakeoverState } from "../build/taken-over-service.ts";

/** Times and states that the status of the RouteTable records. Times in milliseconds. */
export interface TakeoverRecord {
  readonly phase: TakeoverPhase | undefined;
  readonly takenOverAt: number | undefined;
  readonly unusedSince: number | undefined;
  readonly releasedAt: number | undefined;
  readonly reverts: readonly number[];
}

export interface TakeoverInput {
  /** True if the table has routes, its interception is Takeover, and it is not being deleted. */
  readonly isDesired: boolean;
  /** True if the Service must be restored at once: the table is being deleted, or the interception has changed. */
  readonly isUrgent: boolean;
  /** The reason why the Service cannot be taken over. */
  readonly problem: string | undefined;
  readonly service: TakeoverState;
  /** The Service must not be taken over before this time. */
  readonly holdUntil: number | undefined;
  /** `complete` if each port of the Service has a listening port. */
  readonly ports: "none" | "incomplete" | "complete";
  /** The Service that routes to the baseline. */
  readonly base: "absent" | "outdated" | "current";
  /** The Deployment of the proxy. */
  readonly proxy: "absent" | "outdated" | "current";
  readonly readyProxies: number;
  /** Number of connected takeover proxies, and of those that have confirmed the current table with its listening ports. */
  readonly confirmations: { readonly total: number; readonly synced: number };
  /** True if the Service still has endpoints of the proxy. Read only after the Service is restored. */
  readonly hasProxyEndpoints: boolean;
  readonly record: TakeoverRecord;
  /** The last revert that was recorded when the Service was taken over last, as the Service has it. */
  readonly lastRevertOfService: number | undefined;
  readonly lingerMs: number;
  readonly now: number;
}

export type TakeoverStep =
  | { readonly type: "none" }
  | { readonly type: "notEligible"; readonly problem: string }
  /** The Service was restored in an emergency and must not be taken over again for a while. */
  | { readonly type: "hold"; readonly until: number }
  | { readonly type: "ensureProxy" }
  | { readonly type: "allocatePorts" }
  | { readonly type: "ensureBase" }
  | { readonly type: "waitForProxies"; readonly message: string }
  | { readonly type: "takeOver" }
  | { readonly type: "keep" }
  | { readonly type: "recordRevert" }
  | { readonly type: "waitToReapply"; readonly until: number }
  | { readonly type: "giveUp" }
  | { readonly type: "conflict" }
  | { readonly type: "linger"; readonly until: number }
  | { readonly type: "restore" }
  | { readonly type: "waitForEndpoints" }
  | { readonly type: "drain"; readonly until: number }
  | { readonly type: "freePorts" }
  | { readonly type: "removeBase" }
  | { readonly type: "finish" };

/** Delays of the takeover after the first, second and third revert by another client. */
export const reapplyDelaysMs = [5_000, 30_000, 300_000] as const;

/** This many reverts within this time end the takeover. */
const revertWindowMs = 600_000;

/** Time for which the Service of the baseline and the listeners stay after the release, so open connections finish. */
export const drainMs = 60_000;

/** Reports whether the Service of a table is or may be taken over. The controller ignores all other tables. */
export function concernsTakeover(table: CachedRouteTable): boolean {
  return table.spec.interception === "Takeover" || hasFinalizer(table, finalizers.takeover);
}

/** Decides the next step of the takeover of one Service. */
export function decideTakeover(input: TakeoverInput): TakeoverStep {
  return input.isDesired ? decideUse(input) : decideRelease(input);
}

function decideUse(input: TakeoverInput): TakeoverStep {
  const { service, problem, record, holdUntil = 0, now } = input;
  if (service === "absent") return { type: "none" };
  // Repairs the record first, because every later step reads the original from the Service.
  if (service === "unrecorded") return { type: "restore" };
  if (problem !== undefined) return isTouched(service) ? { type: "restore" } : { type: "notEligible", problem };
  if (record.phase === "Conflict") return isTouched(service) ? { type: "restore" } : { type: "conflict" };
  if (service === "original" && holdUntil > now) return { type: "hold", until: holdUntil };
  if (isReverted(input)) {
    if (record.phase !== "Reverted" || wasTakenOverUnrecorded(input)) return { type: "recordRevert" };
    const at = reapplyAt(record.reverts);
    if (at === undefined) return { type: "giveUp" };
    if (now < at) return { type: "waitToReapply", until: at };
  }
  return prepare(input) ?? (service === "takenOver" ? { type: "keep" } : awaitProxies(input));
}

/** Returns the first step whose object is missing. While a Service is taken over, this repairs objects that were deleted or changed. */
function prepare({ proxy, ports, base }: TakeoverInput): TakeoverStep | undefined {
  if (proxy !== "current") return { type: "ensureProxy" };
  if (ports !== "complete") return { type: "allocatePorts" };
  return base === "current" ? undefined : { type: "ensureBase" };
}

/**
 * Waits until every connected proxy listens on the new ports. One proxy could serve all requests, but the Service also sends connections to the
 * others, which would refuse them.
 */
function awaitProxies({ readyProxies, confirmations: { total, synced } }: TakeoverInput): TakeoverStep {
  if (readyProxies === 0) return { type: "waitForProxies", message: "No proxy is ready" };
  if (synced > 0 && synced === total && total >= readyProxies) return { type: "takeOver" };
  const message = `${synced} of ${Math.max(total, readyProxies)} proxies have confirmed the listening ports`;
  return { type: "waitForProxies", message };
}

function decideRelease(input: TakeoverInput): TakeoverStep {
  const { service, isUrgent, problem, record, now, lingerMs } = input;
  if (isTouched(service)) {
    // A Service that another client has reverted already selects its baseline; only the record of the takeover must be removed.
    if (isUrgent || problem !== undefined || service === "reverted" || service === "unrecorded")
      return { type: "restore" };
    const until = (record.unusedSince ?? now) + lingerMs;
    return now < until ? { type: "linger", until } : { type: "restore" };
  }
  // Without a takeover or without a Service, no connection is open.
  if (service !== "absent" && record.takenOverAt !== undefined) {
    if (record.releasedAt === undefined && input.hasProxyEndpoints) return { type: "waitForEndpoints" };
    const until = (record.releasedAt ?? now) + drainMs;
    if (now < until) return { type: "drain", until };
  }
  // Removes the ports first: until then, the published table refers to the Service of the baseline.
  if (input.ports !== "none") return { type: "freePorts" };
  return input.base === "absent" ? { type: "finish" } : { type: "removeBase" };
}

/** Reports whether the Service has anything that a takeover wrote. */
export function isTouched(service: TakeoverState): boolean {
  return service !== "absent" && service !== "original";
}

/** A client that replaces the whole Service removes the record of the takeover with it. */
function isReverted({ service, record }: TakeoverInput): boolean {
  return service === "reverted" || (service === "original" && record.phase !== undefined);
}

/**
 * Reports whether the Service was taken over since the last recorded revert, although the status does not say so: the write of the status
 * failed or the operator ended before it, and another client has put the Service back meanwhile. Without this, such a revert would not count.
 */
function wasTakenOverUnrecorded({ service, lastRevertOfService, record }: TakeoverInput): boolean {
  return service === "reverted" && lastRevertOfService !== undefined && lastRevertOfService === record.reverts.at(-1);
}

/** Returns the time of the next takeover after reverts; undefined after too many reverts within a short time. */
function reapplyAt(reverts: readonly number[]): number | undefined {
  const last = reverts.at(-1) ?? 0;
  const [first = 0] = reverts;
  if (reverts.length >= revertsMax && last - first <= revertWindowMs) return undefined;
  const delay = reapplyDelaysMs[Math.min(reverts.length, reapplyDelaysMs.length) - 1] ?? reapplyDelaysMs[0];
  return last + delay;
}
