// Decides which losses of keys are written to the status of a table.

import { formatTime, parseTime } from "@homeostat/core";
import type { RouteTable } from "@homeostat/sandbox-operator";
import { defaultAuditLimits, type LostKeys } from "./propagation-audit.ts";

/** A loss of the key of one sandbox, as the status has it. */
export type StatusLoss = NonNullable<NonNullable<RouteTable["status"]>["lostKeys"]>[string];

export interface LossInput {
  readonly namespace: string;
  /** Entries of the table. */
  readonly entries: readonly { readonly routingKey: string; readonly sandboxUid?: string | undefined }[];
  /** Losses of all namespaces, most frequent first. */
  readonly lost: readonly LostKeys[];
  readonly observed: Readonly<Record<string, Readonly<StatusLoss>>>;
  readonly now: number;
}

/** Age at which a written loss is refreshed. */
const refreshMs = 60_000;

/** Returns the losses to write by UID of the sandbox; null removes one. Undefined if no write is needed. */
export function planLosses(input: LossInput): Readonly<Record<string, StatusLoss | null>> | undefined {
  const { namespace, entries, lost, observed, now } = input;
  const patch: Record<string, StatusLoss | null> = {};
  const uids = new Set<string>();
  for (const { routingKey, sandboxUid } of entries) {
    if (sandboxUid === undefined || uids.has(sandboxUid)) continue;
    const hop = lost.find((each) => each.namespace === namespace && each.keys.has(routingKey));
    uids.add(sandboxUid);
    if (hop !== undefined && isDue(hop, observed[sandboxUid], now)) patch[sandboxUid] = statusOf(hop);
  }
  for (const [uid, { lastTime }] of Object.entries(observed)) {
    if (!uids.has(uid) || now - parseTime(lastTime) >= defaultAuditLimits.lossMs) patch[uid] ??= null;
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}

function isDue({ lastAt }: LostKeys, observed: Readonly<StatusLoss> | undefined, now: number): boolean {
  if (observed === undefined) return true;
  const writtenAt = parseTime(observed.lastTime);
  // Another replica may have observed a different hop; the newer one replaces it after a while.
  return now - writtenAt >= refreshMs && Math.floor(lastAt / 1_000) * 1_000 > writtenAt;
}

function statusOf({ from, to, count, samples, lastAt }: LostKeys): StatusLoss {
  return { from, to, count, traceId: samples.at(-1) ?? "", lastTime: formatTime(lastAt) };
}
