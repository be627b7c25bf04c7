import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { ComponentFailedError, DiskFullError } from "../errors.ts";
import { identify, isAlive } from "../processes/process-identity.ts";
import { type Started, logTail, markedProcesses, start, stopAll, untilReady } from "./processes.ts";

const folder = mkdtempSync(join(tmpdir(), "processes-test-"));
after(() => rmSync(folder, { recursive: true }));

async function launch(script: string): Promise<Started> {
  return start({
    component: "thing",
    command: process.execPath,
    args: ["-e", script],
    clusterFolder: folder,
    logPath: join(folder, "log", "thing.log"),
    env: { PATH: process.env["PATH"] },
  });
}

describe("start", () => {
  it("starts a process that can be found by its environment variable and stopped", async () => {
    const { process: thing } = await launch("setInterval(() => {}, 1000)");

    assert.ok(isAlive(thing));
    if (process.platform === "linux") assert.deepEqual(markedProcesses(folder), [identify(thing.pid)]);
    await stopAll([thing], 5000);
    assert.equal(isAlive(thing), false);
    assert.deepEqual(markedProcesses(folder), []);
  });

  it("kills a process that ignores SIGTERM", async () => {
    const started = await launch("process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log('ready')");
    await untilReady(started, async () => logTail(started.logPath) === "ready", { timeoutMs: 20_000 });

    await stopAll([started.process], 50);

    assert.equal(isAlive(started.process), false);
  });

  it("rejects when the program does not exist", async () => {
    const program = {
      component: "thing",
      command: join(folder, "none"),
      args: [],
      clusterFolder: folder,
      logPath: join(folder, "l"),
      env: {},
    };

    await assert.rejects(start(program), /thing could not be started \(spawn .*ENOENT\)/);
  });
});

describe("untilReady", () => {
  it("shows the last lines of a process that exited, and the path of its log", async () => {
    const started = await launch("for (let i = 0; i < 100; i++) console.log('line ' + i); process.exitCode = 3");

    const failure = untilReady(started, async () => false, { timeoutMs: 20_000 });

    await assert.rejects(failure, (error) => {
      assert.ok(error instanceof ComponentFailedError);
      assert.match(error.message, /^thing exited with code 3 while starting\. Its last lines:\n {4}line 88\n/);
      assert.match(error.message, /line 99\nThe whole log: .*thing\.log$/);
      return true;
    });
  });

  it("recognizes a full disk in the output of a process", async () => {
    const started = await launch("console.log('write x: no space left on device'); process.exitCode = 1");

    await assert.rejects(
      untilReady(started, async () => false, { timeoutMs: 20_000 }),
      DiskFullError,
    );
  });

  it("stops waiting when it is aborted", async () => {
    const started = await launch("setInterval(() => {}, 1000)");
    const abort = new AbortController();
    const waiting = untilReady(started, async () => false, { timeoutMs: 20_000, signal: abort.signal });

    abort.abort();

    await assert.rejects(waiting, { name: "AbortError" });
    await stopAll([started.process], 5000);
  });
});
