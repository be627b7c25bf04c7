// All events of sandboxes, groups and takeovers, except for those that the runtime records.

import type { EventNote } from "@homeostat/runtime";
import type { CachedSandbox } from "../api/sandbox.ts";

/** Events with the same reason about one object are recorded at most once within this time. */
const repeatMs = 600_000;

const warning = (reason: string, note: string): EventNote => ({ type: "Warning", reason, note, once: repeatMs });

export const sandboxEvents = {
  created: (key: string) => ({ reason: "Created", note: `Assigned the routing key ${key}` }),
  forkCreated: (fork: string) => ({ reason: "ForkCreated", note: `Created Deployment ${fork}` }),
  forkReady: (entry: string) => ({ reason: "ForkReady", note: `The fork of entry ${entry} is ready` }),
  forkRebased: (entry: string, generation: number) => ({
    reason: "ForkRebased",
    note: `Rebased the fork of entry ${entry} onto generation ${generation} of its baseline`,
  }),
  routesProgrammed: { reason: "RoutesProgrammed", note: "All routes are programmed" },
  routeGroupMatched: (group: string) => ({
    reason: "RouteGroupMatched",
    note: `RouteGroup ${group} includes this sandbox`,
  }),
  routeGroupUnmatched: (group: string) => ({
    reason: "RouteGroupUnmatched",
    note: `RouteGroup ${group} no longer includes this sandbox`,
  }),
  idle: { reason: "Idle", note: "Scaled the forks to zero: the sandbox is idle or suspended" },
  woken: { reason: "Woken", note: "Started the forks: a request arrived, or the sandbox was resumed" },
  extended: (expiresAt: string) => ({ reason: "Extended", note: `The sandbox now expires at ${expiresAt}` }),
  deleting: { reason: "Deleting", note: "Sandbox is being deleted" },
  deleted: { reason: "Deleted", note: "Deleted all objects of the sandbox" },
  baselineMissing: (note: string) => warning("BaselineMissing", note),
  baselineChanged: (note: string) => ({ ...warning("BaselineChanged", note), once: "generation" }),
  patchFailed: (note: string) => warning("PatchFailed", note),
  labelsMatchBaseline: (note: string) => warning("LabelsMatchBaseline", note),
  quotaExceeded: (note: string) => warning("QuotaExceeded", note),
  routingKeyConflict: (note: string) => warning("RoutingKeyConflict", note),
  forkFailed: (note: string) => warning("ForkFailed", note),
  rebaseFailed: (note: string) => warning("RebaseFailed", note),
  volumeMayBlock: (note: string) => warning("VolumeMayBlock", note),
  denied: (note: string) => warning("Denied", note),
  provisionFailed: (note: string) => warning("ProvisionFailed", note),
  deleteHookFailed: (note: string) => warning("DeleteHookFailed", note),
  expiring: (expiresAt: string) => ({
    ...warning("Expiring", `The sandbox expires at ${expiresAt}`),
    once: "generation",
  }),
  expired: { type: "Warning", reason: "Expired", note: "The lifetime of the sandbox has ended" },
  cleanupStuck: (note: string) => ({ type: "Warning", reason: "CleanupStuck", note, once: 300_000 }),
} as const satisfies Readonly<Record<string, EventNote | ((...given: never[]) => EventNote)>>;

export const localWorkloadEvents = {
  connected: (machine: string) => ({ reason: "TunnelConnected", note: `Attached ${machine}` }),
  disconnected: (machine: string) => ({ reason: "TunnelDisconnected", note: `${machine} has left` }),
  lost: (machine: string, reason: string) => warning("TunnelLost", `Lost the connection to ${machine}: ${reason}`),
  notListening: (note: string) => warning("LocalNotListening", note),
} as const satisfies Readonly<Record<string, EventNote | ((...given: never[]) => EventNote)>>;

export const groupEvents = {
  routeConflict: (note: string) => warning("RouteConflict", note),
  /** Reports that a group does not route a Service to a sandbox. Several Services may be affected at once. */
  routeLost: (sandbox: CachedSandbox, note: string) => ({
    ...warning("RouteConflict", note),
    regarding: sandbox,
    once: { noteMs: repeatMs },
  }),
  routingKeyConflict: sandboxEvents.routingKeyConflict,
  expiring: (expiresAt: string) => ({
    ...warning("Expiring", `The RouteGroup expires at ${expiresAt}`),
    once: "generation",
  }),
  expired: { type: "Warning", reason: "Expired", note: "The lifetime of the RouteGroup has ended" },
  tableTooLarge: (note: string) => warning("TableTooLarge", note),
} as const satisfies Readonly<Record<string, EventNote | ((...given: never[]) => EventNote)>>;

export const takeoverEvents = {
  takenOver: (service: string) => ({
    reason: "TakenOver",
    note: `Service ${service} now selects the routing proxy`,
  }),
  released: (service: string) => ({ reason: "Released", note: `Restored Service ${service}` }),
  takeoverRestored: (service: string) => ({
    type: "Warning",
    reason: "TakeoverRestored",
    note: `Restored Service ${service} because the routing proxy cannot serve it; requests go to the baseline`,
  }),
  selectorReverted: (service: string, manager = "unknown") => ({
    type: "Warning",
    reason: "SelectorReverted",
    note: `Field manager ${JSON.stringify(manager)} reverted the selector of Service ${service}`,
  }),
} as const satisfies Readonly<Record<string, EventNote | ((...given: never[]) => EventNote)>>;
