import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { decideDeletion, type DeletionInput } from "./deletion.ts";
import { decideLifetime, type LifetimeInput } from "./expiry.ts";
import { decideIdle, type IdleInput } from "./idle.ts";
import { decidePhase } from "./phase.ts";
import { decideRoutingKey } from "./routing-key.ts";

const minute = 60_000;
const hour = 60 * minute;

describe("decideLifetime", () => {
  const input: LifetimeInput = {
    ttl: "2h",
    ttlFrom: "CreatedAt",
    createdAt: 0,
    updatedAt: hour,
    lastActivityAt: undefined,
    ttlSecondsMax: 604_800,
    now: 0,
  };
  const stateAt = (now: number, change: Partial<LifetimeInput> = {}): string =>
    decideLifetime({ ...input, ...change, now }).state;

  it("warns at the later of 15 minutes and a tenth of the lifetime before the end", () => {
    assert.equal(stateAt(2 * hour - 13 * minute), "alive");
    assert.equal(stateAt(2 * hour - 11 * minute), "expiring");
    assert.equal(stateAt(10 * hour - 16 * minute, { ttl: "10h" }), "alive");
    assert.equal(stateAt(10 * hour - 14 * minute, { ttl: "10h" }), "expiring");
  });

  it("ends at the end of the lifetime, not before", () => {
    assert.equal(stateAt(2 * hour - 1), "expiring");
    assert.equal(stateAt(2 * hour), "expired");
  });

  it("starts at the creation, the last change of the spec or the last request", () => {
    assert.equal(stateAt(2 * hour, { ttlFrom: "UpdatedAt" }), "alive");
    assert.equal(stateAt(3 * hour, { ttlFrom: "UpdatedAt" }), "expired");
    assert.equal(stateAt(2 * hour, { ttlFrom: "LastActivity" }), "expired");
    assert.equal(stateAt(2 * hour, { ttlFrom: "LastActivity", lastActivityAt: hour }), "alive");
  });

  it("is limited from the creation on, however often requests arrive", () => {
    const active = { ttlFrom: "LastActivity", lastActivityAt: 5 * hour, ttlSecondsMax: 4 * 3600 } as const;

    assert.equal(stateAt(4 * hour, active), "expired");
  });

  it("has no end with the ttl 0, and for a group that matches a sandbox", () => {
    assert.equal(stateAt(1_000 * hour, { ttl: 0 }), "unlimited");
    assert.equal(stateAt(1_000 * hour, { ttlFrom: "NoMatchedSandboxes", unmatchedSince: undefined }), "unlimited");
    assert.equal(stateAt(3 * hour, { ttlFrom: "NoMatchedSandboxes", unmatchedSince: hour }), "expired");
  });
});

describe("decideIdle", () => {
  const input: IdleInput = {
    isSuspended: false,
    startIdle: false,
    sleepAfterSeconds: 60,
    createdAt: 0,
    lastActivityAt: undefined,
    now: 0,
  };
  const cases: readonly [title: string, change: Partial<IdleInput>, state: string][] = [
    ["is awake after its creation", {}, "awake"],
    ["sleeps without a request", { now: minute }, "asleep"],
    ["stays awake after a request", { now: minute, lastActivityAt: 30_000 }, "awake"],
    ["sleeps again after the last request", { now: 2 * minute, lastActivityAt: 30_000 }, "asleep"],
    ["never sleeps without a time", { now: hour, sleepAfterSeconds: undefined }, "awake"],
    ["starts asleep if the user asks for it", { startIdle: true }, "asleep"],
    ["wakes by its first request", { startIdle: true, lastActivityAt: 0, sleepAfterSeconds: undefined }, "awake"],
    ["is suspended whatever else holds", { isSuspended: true, lastActivityAt: 0 }, "suspended"],
  ];
  for (const [title, change, state] of cases) {
    it(title, () => {
      assert.equal(decideIdle({ ...input, ...change }).state, state);
    });
  }
});

describe("decideDeletion", () => {
  const done: DeletionInput = {
    deletedAt: 0,
    pendingTables: 0,
    takenOver: 0,
    localWorkloads: [],
    services: [],
    forks: [],
    hooks: [],
    provisionObjects: [],
    others: [],
    isLeftToGarbageCollection: true,
    isNamespaceTerminating: false,
    isForced: false,
    drainMs: 10_000,
    forceAfterMs: 5 * minute,
    now: 0,
  };
  const hook = (state: "absent" | "running" | "failed") => ({ name: "db", state, message: "no" });
  const everything: DeletionInput = {
    ...done,
    pendingTables: 1,
    localWorkloads: ["a"],
    services: ["b"],
    forks: ["c"],
    hooks: [hook("absent")],
    provisionObjects: ["d"],
  };
  const cases: readonly [title: string, input: DeletionInput, step: string][] = [
    ["waits for routes first", everything, "waitForRoutes"],
    ["waits no longer than the time for draining", { ...everything, now: 10_000 }, "deleteLocalWorkloads"],
    ["deletes LocalWorkloads before Services", { ...everything, pendingTables: 0 }, "deleteLocalWorkloads"],
    ["deletes Services before forks", { ...everything, pendingTables: 0, localWorkloads: [] }, "deleteServices"],
    [
      "deletes forks before hooks run",
      { ...everything, pendingTables: 0, localWorkloads: [], services: [] },
      "deleteForks",
    ],
    ["runs hooks before their objects go", { ...done, hooks: [hook("absent")], provisionObjects: ["d"] }, "startHook"],
    ["waits for a hook", { ...done, hooks: [hook("running")], provisionObjects: ["d"] }, "waitForHook"],
    [
      "goes on after a failed hook",
      { ...done, hooks: [hook("failed")], provisionObjects: ["d"] },
      "deleteProvisionObjects",
    ],
    ["finishes when nothing is left", done, "finish"],
    ["keeps the finalizer while a Service is taken over", { ...done, takenOver: 1, isForced: true }, "wait"],
    ["leaves the rest to a terminating namespace", { ...everything, isNamespaceTerminating: true }, "finish"],
    [
      "runs no hook in a terminating namespace",
      { ...done, hooks: [hook("absent")], isNamespaceTerminating: true, isLeftToGarbageCollection: false },
      "finish",
    ],
    ["finishes by force if the user asks for it", { ...everything, isForced: true }, "finish"],
    ["leaves a stuck object to the garbage collector", { ...done, forks: ["c"], now: 5 * minute }, "finish"],
    [
      "never leaves an object of another namespace",
      { ...done, forks: ["c"], now: hour, isLeftToGarbageCollection: false },
      "deleteForks",
    ],
  ];
  for (const [title, input, step] of cases) {
    it(title, () => {
      assert.equal(decideDeletion(input).type, step);
    });
  }
});

describe("decidePhase", () => {
  const input = {
    isDeleted: false,
    hasPermanentError: false,
    isReady: true,
    previous: "Running",
    isRetrying: false,
  } as const;

  it("follows the rules in their order", () => {
    assert.equal(decidePhase({ ...input, isDeleted: true, hasPermanentError: true }), "Terminating");
    assert.equal(decidePhase({ ...input, isRetrying: true, hasPermanentError: true }), "Running");
    assert.equal(decidePhase({ ...input, hasPermanentError: true }), "Failed");
    assert.equal(decidePhase(input), "Running");
    assert.equal(decidePhase({ ...input, isReady: false }), "Pending");
  });
});

describe("decideRoutingKey", () => {
  const bytes = (...values: readonly number[]) => {
    let next = 0;
    return (count: number): Uint8Array => Uint8Array.from({ length: count }, () => values[next++ % values.length] ?? 0);
  };

  it("keeps the recorded key", () => {
    const key = decideRoutingKey({
      recorded: "old-key",
      asked: "new-key",
      isTaken: () => false,
      secureBytes: bytes(1),
    });

    assert.equal(key, "old-key");
  });

  it("takes the key that the spec asks for, even if another object has it", () => {
    const key = decideRoutingKey({ recorded: undefined, asked: "my-key", isTaken: () => true, secureBytes: bytes(1) });

    assert.equal(key, "my-key");
  });

  it("generates 13 characters with a letter first, and another key if one is taken", () => {
    const seen: string[] = [];
    const isTaken = (key: string): boolean => seen.push(key) === 1;

    const key = decideRoutingKey({ recorded: undefined, asked: undefined, isTaken, secureBytes: bytes(255, 3, 40, 7) });

    assert.match(key, /^[a-z][a-z0-9]{12}$/);
    assert.equal(seen.length, 2);
  });
});
