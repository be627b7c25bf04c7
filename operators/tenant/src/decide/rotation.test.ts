import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Credentials } from "../build/credentials.ts";
import { nextRotation, type Rotation, type RolloutState, type RotationRequest, stalledAfterMs } from "./rotation.ts";

const hour = 3_600_000;
const old = "old-password-0123456789";
const fresh = "new-password-0123456789";
const settled: Credentials = { step: "done", password: old, token: "a", stepAtMs: 0, rotatedAtMs: 0 };
const overlap: Credentials = { ...settled, step: "overlap", password: fresh, previous: old, token: "b" };
const clients: Credentials = { ...overlap, step: "clients" };
const cleanup: Credentials = { ...settled, step: "cleanup", password: fresh, token: "b" };
const nothing: RolloutState = {
  isRedisRolled: false,
  areReplicasRolled: false,
  isServerRolled: false,
  isHibernated: false,
};
const everything: RolloutState = { ...nothing, isRedisRolled: true, areReplicasRolled: true, isServerRolled: true };

function next(
  credentials: Credentials,
  {
    view = {},
    nowMs = hour,
    ...change
  }: Partial<RotationRequest> & { view?: Partial<RolloutState>; nowMs?: number } = {},
): Rotation {
  return nextRotation({
    credentials,
    request: { token: undefined, intervalMs: undefined, given: undefined, ...change },
    rollout: { ...nothing, ...view },
    nowMs,
    makePassword: () => fresh,
  });
}

describe("nextRotation", () => {
  const started = { ...settled, step: "overlap", password: fresh, previous: old, stepAtMs: hour };
  for (const [what, change, token] of [
    ["a new value of the annotation", { token: "b" }, "b"],
    ["an elapsed interval", { intervalMs: hour }, "a"],
    ["another given password", { given: fresh }, "a"],
  ] as const) {
    it(`starts with ${what}`, () => {
      const rotation = next(settled, change);

      assert.deepEqual(rotation.credentials, { ...started, token });
      assert.equal(rotation.event, "PasswordRotationStarted");
    });
  }

  for (const [what, change] of [
    ["nothing requests it", {}],
    ["the annotation is unchanged", { token: "a" }],
    ["the annotation is empty", { token: "" }],
    ["the interval has not elapsed", { intervalMs: hour + 1 }],
    ["the given password is the current one", { given: old }],
    ["the annotation is new but the password is given", { given: old, token: "b", intervalMs: 1 }],
  ] as const) {
    it(`does not start when ${what}`, () => {
      assert.deepEqual(next(settled, change), { credentials: settled, event: undefined, isStalled: false });
    });
  }

  for (const [from, view, step] of [
    [overlap, { isRedisRolled: true }, "clients"],
    [clients, { isServerRolled: true, areReplicasRolled: true }, "cleanup"],
    [cleanup, { isRedisRolled: true }, "done"],
  ] as const) {
    it(`goes from ${from.step} to ${step} only when the pods have rolled`, () => {
      const others = Object.fromEntries(Object.keys(view).map((key) => [key, false]));

      assert.equal(next(from, { view: { ...everything, ...others } }).credentials, from);
      const { credentials } = next(from, { view });
      assert.equal(credentials.step, step);
      assert.equal(credentials.stepAtMs, hour);
      assert.equal(credentials.password, fresh);
    });
  }

  it("forgets the previous password when no client uses it", () => {
    assert.equal("previous" in next(clients, { view: everything }).credentials, false);
  });

  it("ends with the time and an event", () => {
    const { credentials, event } = next(cleanup, { view: everything });

    assert.deepEqual(credentials, { ...cleanup, step: "done", stepAtMs: hour, rotatedAtMs: hour });
    assert.equal(event, "PasswordRotated");
  });

  it("does not start again while a rotation is in progress", () => {
    const change = { token: "c", given: "another-password-0123", intervalMs: 1 };

    assert.equal(next(overlap, change).credentials, overlap);
    assert.equal(next(cleanup, { ...change, view: everything }).credentials.step, "done");
  });

  it("is stalled after ten minutes in a step, and continues", () => {
    assert.equal(next(overlap, { nowMs: stalledAfterMs }).isStalled, false);
    assert.equal(next(overlap, { nowMs: stalledAfterMs + 1 }).isStalled, true);
    assert.equal(next(overlap, { nowMs: stalledAfterMs + 1, view: everything }).credentials.step, "clients");
    assert.equal(next(settled, { nowMs: stalledAfterMs * 9 }).isStalled, false);
  });

  for (const from of [settled, overlap, clients, cleanup]) {
    it(`goes straight from ${from.step} to done in a hibernated tenant`, () => {
      const { credentials, event } = next(from, { token: "b", view: { isHibernated: true } });

      assert.deepEqual(credentials, {
        step: "done",
        password: fresh,
        token: "b",
        stepAtMs: hour,
        rotatedAtMs: hour,
      });
      assert.equal(event, "PasswordRotated");
    });
  }
});
