import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  attachMachine,
  type AttachResult,
  detachMachine,
  isReplaced,
  machinesOf,
  promoteMachine,
  staleMs,
  type TunnelStatus,
  updateMachine,
} from "./machines.ts";

const now = Date.parse("2030-01-01T00:00:00Z");
type Mode = Parameters<typeof attachMachine>[1]["mode"];

interface Options {
  readonly mode?: Mode;
  readonly takeover?: boolean;
  readonly resume?: string;
  readonly at?: number;
}

function attach(status: TunnelStatus, machine: string, { mode = "Exclusive", ...options }: Options = {}): AttachResult {
  return attachMachine(status, {
    mode,
    takeover: options.takeover ?? false,
    now: options.at ?? now,
    machine: {
      machine,
      host: `host-${machine}`,
      user: "jane",
      clientVersion: "1",
      replica: "tunnel-0",
      address: "10.0.0.1",
      resume: options.resume ?? "",
      newTunnelId: `tunnel-of-${machine}`,
    },
  });
}

function attached(status: TunnelStatus, machine: string, options: Options = {}): TunnelStatus {
  const result = attach(status, machine, options);
  assert.ok(!result.isBusy);
  return result.status;
}

const detach = (status: TunnelStatus, machine: string, epoch: number, mode: Mode = "Exclusive") =>
  detachMachine(status, { machine, epoch, mode, reason: "ClientLeft", now });

describe("a machine that attaches", () => {
  it("is refused in the mode Exclusive while another one is attached, unless it takes over", () => {
    const first = attached({}, "a");

    const busy = attach(first, "b");
    assert.ok(busy.isBusy);
    assert.equal(busy.by.host, "host-a");
    const taken = attached(first, "b", { takeover: true });
    assert.deepEqual([taken.connection?.machine, taken.connection?.epoch], ["b", 2]);
    assert.ok(isReplaced(taken, { machine: "a", epoch: 1, mode: "Exclusive" }));
  });

  it("may take the place of a machine that has left, and of one without a sign of life", () => {
    const first = attached({}, "a");
    const left = detach(first, "a", 1);
    assert.ok(left !== undefined);

    assert.equal(attached(left, "b").connection?.machine, "b");
    assert.equal(attached(first, "b", { at: now + staleMs }).connection?.machine, "b");
    assert.ok(attach(first, "b", { at: now + staleMs - 1 }).isBusy);
  });

  it("continues its own tunnel only if it knows its id", () => {
    const first = attached({}, "a");

    assert.equal(attached(first, "a", { resume: "tunnel-of-a" }).connection?.tunnelId, "tunnel-of-a");
    const other = { ...first, connection: { ...first.connection, tunnelId: "x" } };
    assert.equal(attached(other, "a", { resume: "y" }).connection?.tunnelId, "tunnel-of-a");
    assert.ok(isReplaced(attached(first, "a"), { machine: "a", epoch: 1, mode: "Exclusive" }));
  });

  it("waits as a standby, and shares a pool", () => {
    const first = attached({}, "a", { mode: "Standby" });
    const standby = attach(first, "b", { mode: "Standby" });
    assert.ok(!standby.isBusy && !standby.isActive);
    assert.deepEqual(
      [standby.status.connection?.machine, machinesOf(standby.status).map(({ machine }) => machine)],
      ["a", ["a", "b"]],
    );

    const pooled = attach(attached({}, "a", { mode: "Pool" }), "b", { mode: "Pool" });
    assert.ok(!pooled.isBusy && pooled.isActive);
  });
});

describe("a machine that leaves", () => {
  it("changes nothing if a later connection has replaced it", () => {
    const second = attached(attached({}, "a"), "a");

    assert.equal(detach(second, "a", 1), undefined);
    assert.equal(detach(second, "a", 2)?.connection?.reason, "ClientLeft");
    assert.equal(updateMachine(second, { machine: "a", epoch: 1 }, { rttMillis: 3 }), undefined);
  });

  it("makes the standby active that waits longest", () => {
    let status: TunnelStatus = {};
    for (const machine of ["a", "b", "c"]) status = attached(status, machine, { mode: "Standby" });

    const next = detach(status, "a", 1, "Standby");

    assert.equal(next?.connection?.machine, "b");
    assert.deepEqual(
      next?.machines?.map(({ machine }) => machine),
      ["b", "c"],
    );
    assert.deepEqual(detach(status, "b", 2, "Standby")?.connection?.machine, "a");
  });
});

describe("a standby", () => {
  it("becomes active when the active machine shows no sign of life", () => {
    const both = attached(attached({}, "a", { mode: "Standby" }), "b", { mode: "Standby" });
    const alive = updateMachine(both, { machine: "b", epoch: 2 }, { lastHeartbeat: "2030-01-01T00:02:30Z" });
    assert.ok(alive !== undefined);

    assert.equal(promoteMachine(alive, { machine: "b", epoch: 2, now: now + staleMs - 1 }), undefined);
    assert.equal(promoteMachine(alive, { machine: "b", epoch: 2, now: now + staleMs })?.connection?.machine, "b");
    assert.equal(promoteMachine(alive, { machine: "c", epoch: 3, now: now + staleMs }), undefined);
  });
});

describe("the state of a machine", () => {
  it("loses fields that are undefined", () => {
    const closed = updateMachine(attached({}, "a"), { machine: "a", epoch: 1 }, { localMessage: "nothing listens" });
    assert.equal(closed?.connection?.localMessage, "nothing listens");

    const open = updateMachine(
      closed ?? {},
      { machine: "a", epoch: 1 },
      { localMessage: undefined, localTarget: "Listening" },
    );

    assert.deepEqual(
      [Object.hasOwn(open?.connection ?? {}, "localMessage"), open?.connection?.localTarget],
      [false, "Listening"],
    );
  });
});
