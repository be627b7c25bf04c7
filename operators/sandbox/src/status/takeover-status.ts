// The part of the status of a RouteTable that a takeover determines: its record, and the conditions TakenOver and Conflict.

import { formatMicroTime, formatTime, microsFromMs, withoutUndefined } from "@homeostat/core";
import type { StatusPlan } from "@homeostat/runtime";
import { annotations } from "../api/identity.ts";
import { revertsMax, type RouteTable, type RouteTableStatus } from "../api/route-table.ts";
import { restrictionText } from "../decide/network-policies.ts";
import { isTouched, type TakeoverInput, type TakeoverRecord, type TakeoverStep } from "../decide/takeover.ts";

type Conditions = NonNullable<StatusPlan<RouteTable>["conditions"]>;

/** Time without a revert after which earlier reverts are forgotten. */
const revertMemoryMs = 3_600_000;

export interface TakeoverStatusInput {
  readonly input: TakeoverInput;
  readonly step: TakeoverStep;
  /** Field manager of the last revert. */
  readonly revertedBy: string | undefined;
  /** Selector of the Service without the proxy. */
  readonly selector: Readonly<Record<string, string>> | undefined;
  /** Names of the NetworkPolicies that limit connections to the baseline or to the proxy. */
  readonly restrictedBy: readonly string[];
}

/** Returns the status after a step. The record is written before a step that restores the Service; all other fields are written after the step. */
export function takeoverStatus(given: TakeoverStatusInput): StatusPlan<RouteTable> {
  const { input, step, selector } = given;
  const record = nextRecord(given);
  const hasSelector = selector !== undefined && (isTouched(input.service) || step.type === "takeOver");
  return {
    fields: {
      takeover: formatRecord(record, given.revertedBy),
      originalSelector: hasSelector && step.type !== "restore" ? selector : undefined,
    },
    conditions: { TakenOver: takenOver(given), Conflict: conflict(given) },
  };
}

/** Returns the record after a step. */
function nextRecord({ input, step }: TakeoverStatusInput): TakeoverRecord {
  const { now, isDesired, service } = input;
  const record = { ...input.record, reverts: input.record.reverts.filter((at) => now - at < revertMemoryMs) };
  const used = { ...record, unusedSince: undefined, releasedAt: undefined };
  switch (step.type) {
    case "takeOver":
      return { ...used, phase: "TakenOver", takenOverAt: now };
    case "keep":
      return { ...used, phase: "TakenOver", takenOverAt: record.takenOverAt ?? now };
    case "linger":
      return {
        ...record,
        phase: "TakenOver",
        takenOverAt: record.takenOverAt ?? now,
        unusedSince: record.unusedSince ?? now,
      };
    case "recordRevert":
      return { ...used, phase: "Reverted", reverts: [...record.reverts, now].slice(-revertsMax) };
    case "giveUp":
      return { ...used, phase: "Conflict" };
    case "restore": {
      // A Service without a record was restored by another client, which the next step counts as a revert. Until then the sandbox finds no Service
      // for its baseline, so the table may have no routes for a moment.
      const isKept = service === "unrecorded" || (isDesired && record.phase === "Conflict");
      return { ...record, phase: isKept ? record.phase : undefined, takenOverAt: record.takenOverAt ?? now };
    }
    case "hold":
      return { ...used, phase: undefined };
    case "drain":
      return { ...record, releasedAt: record.releasedAt ?? now };
    case "freePorts":
    case "removeBase":
    case "finish":
      return {
        phase: undefined,
        takenOverAt: undefined,
        unusedSince: undefined,
        releasedAt: undefined,
        reverts: [],
      };
    default:
      return isDesired ? used : record;
  }
}

function formatRecord(record: TakeoverRecord, revertedBy: string | undefined): RouteTableStatus["takeover"] {
  const { phase, takenOverAt, unusedSince, releasedAt, reverts } = record;
  const time = (ms: number | undefined): string | undefined =>
    ms === undefined ? undefined : formatMicroTime(microsFromMs(ms));
  const fields = withoutUndefined({
    phase,
    takenOverAt: time(takenOverAt),
    unusedSince: time(unusedSince),
    releasedAt: time(releasedAt),
    reverts: reverts.length === 0 ? undefined : reverts.flatMap((at) => time(at) ?? []),
    revertedBy: reverts.length === 0 ? undefined : revertedBy?.slice(0, 128),
  });
  return Object.keys(fields).length === 0 ? undefined : fields;
}

function takenOver({ input, step, revertedBy, restrictedBy }: TakeoverStatusInput): Conditions["TakenOver"] {
  const through = "Requests go through the proxy";
  const isProxied = input.service === "takenOver" || input.service === "incomplete";
  const waiting = (message: string): Conditions["TakenOver"] =>
    isProxied
      ? { status: true, reason: "TakenOver", message: `${through}. ${message}` }
      : { status: false, reason: "WaitingForProxies", message };
  const reverted = `${managerText(revertedBy)} has changed the Service`;
  switch (step.type) {
    case "takeOver":
    case "keep":
      return {
        status: true,
        reason: "TakenOver",
        message: restrictedBy.length === 0 ? through : `${through}. ${restrictionText(restrictedBy)}`,
      };
    case "ensureProxy":
      return waiting("The Deployment of the proxy is being written");
    case "allocatePorts":
      return waiting("Listening ports are being allocated");
    case "ensureBase":
      return waiting("The Service of the baseline is being written");
    case "waitForProxies":
      return waiting(step.message);
    case "linger":
      return {
        status: true,
        reason: "Releasing",
        message: `No routes remain; the Service will be restored at ${formatTime(step.until)}`,
      };
    case "recordRevert":
      return { status: false, reason: "SelectorReverted", message: reverted };
    case "waitToReapply":
      return {
        status: false,
        reason: "SelectorReverted",
        message: `${reverted}; it is taken over again at ${formatTime(step.until)}`,
      };
    case "giveUp":
    case "conflict":
      return { status: false, reason: "SelectorReverted", message: `${reverted}; it is not taken over again` };
    case "hold":
      return {
        status: false,
        reason: "TakeoverRestored",
        message: `The Service was restored and selects its baseline until ${formatTime(step.until)}`,
      };
    case "notEligible":
      return { status: false, reason: "NotEligible", message: step.problem };
    case "restore":
      if (input.problem !== undefined && input.isDesired)
        return { status: false, reason: "NotEligible", message: input.problem };
      return { status: false, reason: "Releasing", message: "The Service was restored" };
    case "waitForEndpoints":
      return {
        status: false,
        reason: "Releasing",
        message: "The endpoints of the Service still list the routing proxy",
      };
    case "drain":
      return {
        status: false,
        reason: "Releasing",
        message: `The Service is restored; open connections may finish until ${formatTime(step.until)}`,
      };
    case "freePorts":
    case "removeBase":
      return { status: false, reason: "Releasing", message: "The Service of the baseline is being deleted" };
    case "none":
    case "finish":
      return { status: false, reason: "NotNeeded", message: "The Service is not taken over" };
  }
}

function conflict({ input, step, revertedBy }: TakeoverStatusInput): Conditions["Conflict"] {
  const isOver = step.type === "giveUp" || (input.isDesired && input.record.phase === "Conflict");
  if (!isOver) return { status: false, reason: "NoConflict", message: "No other client changes the Service" };
  return {
    status: true,
    reason: "SelectorReverted",
    message:
      `${managerText(revertedBy)} reverted the selector of the Service ${revertsMax} times; requests go to the baseline. ` +
      `Use interception Sidecar or Mesh (annotation ${annotations.interception}), or configure that client to ignore the selector and the target ports`,
  };
}

function managerText(manager: string | undefined): string {
  return manager === undefined ? "Another client" : `Field manager ${JSON.stringify(manager)}`;
}
