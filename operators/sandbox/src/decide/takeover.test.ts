import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { decideTakeover, type TakeoverInput, type TakeoverRecord, type TakeoverStep } from "./takeover.ts";

const minute = 60_000;
const now = 100 * minute;

const noRecord: TakeoverRecord = {
  phase: undefined,
  takenOverAt: undefined,
  unusedSince: undefined,
  releasedAt: undefined,
  reverts: [],
};

/** A Service whose takeover is complete. */
const takenOver: TakeoverInput = {
  isDesired: true,
  isUrgent: false,
  problem: undefined,
  service: "takenOver",
  holdUntil: undefined,
  ports: "complete",
  base: "current",
  proxy: "current",
  readyProxies: 2,
  confirmations: { total: 2, synced: 2 },
  hasProxyEndpoints: false,
  record: { ...noRecord, phase: "TakenOver", takenOverAt: now - 30 * minute },
  lastRevertOfService: undefined,
  lingerMs: minute,
  now,
};

/** A Service with routes that leads to its baseline; everything for the takeover is ready. */
const prepared: TakeoverInput = { ...takenOver, service: "original", record: noRecord };

/** A Service without routes. */
const unused: TakeoverInput = { ...takenOver, isDesired: false };

const reverts = (...agoMs: readonly number[]): TakeoverRecord => ({
  ...takenOver.record,
  phase: "Reverted",
  reverts: agoMs.map((ago) => now - ago),
});
const restored: TakeoverInput = {
  ...unused,
  service: "original",
  record: { ...takenOver.record, unusedSince: now - 2 * minute },
};

type Case = readonly [what: string, input: TakeoverInput, step: TakeoverStep];

const cases: readonly Case[] = [
  ["ensures the proxy first", { ...prepared, proxy: "absent", ports: "none", base: "absent" }, { type: "ensureProxy" }],
  ["then allocates ports", { ...prepared, ports: "none", base: "absent" }, { type: "allocatePorts" }],
  ["then creates the Service of the baseline", { ...prepared, base: "absent" }, { type: "ensureBase" }],
  [
    "waits for a ready proxy",
    { ...prepared, readyProxies: 0 },
    { type: "waitForProxies", message: "No proxy is ready" },
  ],
  [
    "waits for the confirmations of all proxies",
    { ...prepared, confirmations: { total: 2, synced: 1 } },
    { type: "waitForProxies", message: "1 of 2 proxies have confirmed the listening ports" },
  ],
  [
    "waits for ready proxies that are not connected",
    { ...prepared, confirmations: { total: 1, synced: 1 } },
    { type: "waitForProxies", message: "1 of 2 proxies have confirmed the listening ports" },
  ],
  [
    "does not take over without any confirmation",
    { ...prepared, readyProxies: 1, confirmations: { total: 0, synced: 0 } },
    { type: "waitForProxies", message: "0 of 1 proxies have confirmed the listening ports" },
  ],
  ["takes over when all proxies listen", prepared, { type: "takeOver" }],
  ["keeps a Service that is taken over", takenOver, { type: "keep" }],
  ["keeps it while proxies restart", { ...takenOver, readyProxies: 0 }, { type: "keep" }],
  [
    "updates an outdated proxy of a Service that is taken over",
    { ...takenOver, proxy: "outdated" },
    { type: "ensureProxy" },
  ],
  ["creates a deleted Service of the baseline again", { ...takenOver, base: "absent" }, { type: "ensureBase" }],
  [
    "allocates ports that were added",
    { ...takenOver, service: "incomplete", ports: "incomplete" },
    { type: "allocatePorts" },
  ],
  ["takes over ports that were added", { ...takenOver, service: "incomplete" }, { type: "takeOver" }],
  ["does nothing without a Service", { ...prepared, service: "absent" }, { type: "none" }],
  [
    "refuses a Service that is not eligible",
    { ...prepared, problem: "The Service is headless" },
    { type: "notEligible", problem: "The Service is headless" },
  ],
  ["restores a Service that is not eligible any more", { ...takenOver, problem: "UDP" }, { type: "restore" }],
  ["restores a Service that lost its record", { ...takenOver, service: "unrecorded" }, { type: "restore" }],
  [
    "leaves a restored Service alone for a while",
    { ...prepared, holdUntil: now + 1 },
    { type: "hold", until: now + 1 },
  ],
  ["takes it over again after that", { ...prepared, holdUntil: now }, { type: "takeOver" }],
  // Reverts by another client
  ["records a revert", { ...takenOver, service: "reverted" }, { type: "recordRevert" }],
  ["records the removal of everything", { ...takenOver, service: "original" }, { type: "recordRevert" }],
  [
    "waits 5 s after the first revert",
    { ...takenOver, service: "reverted", record: reverts(4_999) },
    { type: "waitToReapply", until: now + 1 },
  ],
  ["takes over again after 5 s", { ...takenOver, service: "reverted", record: reverts(5_000) }, { type: "takeOver" }],
  [
    "records the revert of a takeover that the status does not have",
    { ...takenOver, service: "reverted", record: reverts(5_000), lastRevertOfService: now - 5_000 },
    { type: "recordRevert" },
  ],
  [
    "takes over again if the Service was taken over only before its last revert",
    { ...takenOver, service: "reverted", record: reverts(minute, 30_000), lastRevertOfService: now - minute },
    { type: "takeOver" },
  ],
  [
    "waits 30 s after the second revert",
    { ...takenOver, service: "reverted", record: reverts(minute, 29_999) },
    { type: "waitToReapply", until: now + 1 },
  ],
  [
    "waits 5 min after a third revert that came late",
    { ...takenOver, service: "reverted", record: reverts(11 * minute, 8 * minute, 1) },
    { type: "waitToReapply", until: now - 1 + 5 * minute },
  ],
  [
    "gives up after three reverts in 10 min",
    { ...takenOver, service: "reverted", record: reverts(10 * minute, minute, 0) },
    { type: "giveUp" },
  ],
  [
    "removes its record after that",
    { ...takenOver, service: "reverted", record: { ...reverts(minute, 1, 0), phase: "Conflict" } },
    { type: "restore" },
  ],
  [
    "does not take over any more",
    { ...prepared, record: { ...reverts(minute, 1, 0), phase: "Conflict" } },
    { type: "conflict" },
  ],
  // Release
  ["lingers when the last route is gone", unused, { type: "linger", until: now + minute }],
  [
    "lingers from the time at which it was gone",
    { ...unused, record: { ...unused.record, unusedSince: now - 59_999 } },
    { type: "linger", until: now + 1 },
  ],
  [
    "restores after the linger",
    { ...unused, record: { ...unused.record, unusedSince: now - minute } },
    { type: "restore" },
  ],
  ["restores at once if the table is deleted", { ...unused, isUrgent: true }, { type: "restore" }],
  ["removes the record of a reverted Service without routes", { ...unused, service: "reverted" }, { type: "restore" }],
  ["waits for the endpoints of the baseline", { ...restored, hasProxyEndpoints: true }, { type: "waitForEndpoints" }],
  ["drains connections after that", restored, { type: "drain", until: now + minute }],
  [
    "frees the ports after the drain",
    { ...restored, record: { ...restored.record, releasedAt: now - minute } },
    { type: "freePorts" },
  ],
  [
    "frees the ports of a takeover that never happened",
    { ...unused, service: "original", record: noRecord },
    { type: "freePorts" },
  ],
  ["frees the ports of a deleted Service", { ...unused, service: "absent" }, { type: "freePorts" }],
  [
    "removes the Service of the baseline after that",
    { ...unused, service: "original", record: noRecord, ports: "none" },
    { type: "removeBase" },
  ],
  [
    "finishes when nothing is left",
    { ...unused, service: "original", record: noRecord, base: "absent", ports: "none" },
    { type: "finish" },
  ],
];

describe("the next step of a takeover", () => {
  for (const [what, input, step] of cases) {
    it(what, () => {
      assert.deepEqual(decideTakeover(input), step);
    });
  }
});
