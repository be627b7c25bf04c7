import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, it } from "node:test";
import { identify, isAlive, parseStat, readIdentity, signalProcess } from "./process-identity.ts";

describe("parseStat", () => {
  it("finds state and start time after a name with spaces and parentheses", () => {
    const rest = Array.from({ length: 18 }, (_, i) => String(i));

    assert.deepEqual(parseStat(`12 (a) b) S ${rest.join(" ")} 4711 0 0`), { state: "S", startTicks: "4711" });
  });

  it("returns nothing for a truncated text", () => {
    assert.equal(parseStat("12 (a) S 1 2"), undefined);
    assert.equal(parseStat(""), undefined);
  });
});

describe("identify", () => {
  it("returns the identity of this process", () => {
    const identity = identify(process.pid);

    assert.ok(identity !== undefined && isAlive(identity));
    assert.deepEqual(readIdentity(JSON.parse(JSON.stringify(identity))), identity);
  });

  it("returns nothing for numbers that no process has", () => {
    for (const pid of [0, -1, 1.5, Number.NaN, 2 ** 22 + 1]) assert.equal(identify(pid), undefined);
  });

  it("distinguishes a process from an earlier one with the same number", async () => {
    const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
    await once(child, "spawn");
    const identity = identify(child.pid ?? 0);
    const stranger = { pid: child.pid ?? 0, started: `${identity?.started ?? ""}9` };

    const reached = signalProcess(stranger, "SIGKILL");

    assert.equal(reached, false);
    assert.ok(identity !== undefined && isAlive(identity));
    assert.equal(signalProcess(identity, "SIGKILL"), true);
    await once(child, "exit");
    assert.equal(isAlive(identity), false);
  });

  it("rejects values that are not an identity", () => {
    for (const value of [undefined, null, 1, [], {}, { pid: "1", started: "x" }, { pid: 1 }]) {
      assert.equal(readIdentity(value), undefined);
    }
  });
});
