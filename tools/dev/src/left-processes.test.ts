import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { processesOf, runVariable, watchProcesses } from "./left-processes.ts";

/** Starts a program that ignores SIGTERM, in a session of its own, and waits until it runs. */
async function startProgram(env: NodeJS.ProcessEnv): Promise<ChildProcess> {
  const program = `process.on("SIGTERM", () => undefined); setInterval(() => undefined, 1_000); console.log("runs");`;
  const child = spawn(process.execPath, ["-e", program], { detached: true, stdio: ["ignore", "pipe", "inherit"], env });
  await once(child.stdout, "data");
  return child;
}

describe("watchProcesses", () => {
  it("ends the processes of its run, removes its folder, and leaves other processes alone", async () => {
    const folder = mkdtempSync(join(tmpdir(), "homeostat-left-"));
    writeFileSync(join(folder, "file"), "");
    const ofRun = { ...process.env, [runVariable]: folder };
    const left = await startProgram(ofRun);
    const ofOther = await startProgram({ ...process.env, [runVariable]: `${folder}-other` });
    const ofCluster = await startProgram({ ...ofRun, HOMEOSTAT_KUBE_CLUSTER: "/clusters/test-1" });
    const leftEnds = once(left, "exit");

    await watchProcesses(folder).stop();
    const [, signal] = await leftEnds;

    assert.equal(signal, "SIGKILL");
    assert.deepEqual(processesOf(folder), []);
    assert.ok(!existsSync(folder));
    for (const child of [ofOther, ofCluster]) {
      assert.equal(child.exitCode, null);
      assert.equal(child.signalCode, null);
      child.kill("SIGKILL");
      await once(child, "exit");
    }
  });

  it("does the same when its owner is killed", async () => {
    const folder = mkdtempSync(join(tmpdir(), "homeostat-left-"));
    const module = JSON.stringify(new URL("./left-processes.js", import.meta.url).href);
    const program = `import { watchProcesses } from ${module};
      watchProcesses(${JSON.stringify(folder)}); setInterval(() => undefined, 1_000); console.log("runs");`;
    const owner = spawn(process.execPath, ["--input-type=module", "-e", program], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(owner.stdout, "data");
    const left = await startProgram({ ...process.env, [runVariable]: folder });
    const leftEnds = once(left, "exit");

    owner.kill("SIGKILL");
    const [, signal] = await leftEnds;

    assert.equal(signal, "SIGKILL");
  });
});
