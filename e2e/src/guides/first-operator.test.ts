// Follows the guide "your first operator" literally, in an empty folder.

import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { reasonToSkip, startCluster } from "../harness/cluster.ts";
import { kubectl } from "@homeostat/kube";
import { packLibraries } from "./packed.ts";
import { stepsOf } from "./steps.ts";
import { repository } from "../harness/repository.ts";

const run = promisify(execFile);
const steps = stepsOf(readFileSync(join(repository, "docs/guides/first-operator.md"), "utf8"));

describe("your first operator", { skip: (await reasonToSkip({ need: "control-plane" })) ?? false }, () => {
  let folder = "";
  let cluster: Awaited<ReturnType<typeof startCluster>> | undefined;
  let operator: ChildProcess | undefined;
  let log = "";

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "homeostat-guide-"));
    cluster = await startCluster({ need: "control-plane" });
  });

  after(async () => {
    operator?.kill("SIGKILL");
    await cluster?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it("works as written", { timeout: 240_000 }, async () => {
    assert.ok(cluster !== undefined);
    const packed = await packLibraries(folder);
    const env = {
      ...process.env,
      NODE_OPTIONS: "",
      KUBECONFIG: cluster.kubeconfigPath,
      PATH: `${dirname(await kubectl())}:${dirname(process.execPath)}:${process.env["PATH"]}`,
    };
    const work = join(folder, "sites");
    let output = "";
    for (const step of steps) {
      if (step.type === "file") writeFileSync(join(work, step.name), `${step.text}\n`);
      else if (step.isLeftRunning) {
        operator = spawn("bash", ["-c", `exec ${step.text}`], { cwd: work, env });
        operator.stdout?.on("data", (piece: Buffer) => (log += piece.toString()));
        operator.stderr?.on("data", (piece: Buffer) => (log += piece.toString()));
      } else {
        // The guide's packages are packed from this repository instead of installed from the registry.
        const script = step.text.replace(
          "npm install homeostat @homeostat/kubernetes",
          `npm install ${packed.join(" ")}`,
        );
        const cwd = script.startsWith("mkdir sites") ? folder : work;
        const { stdout, stderr } = await run("bash", ["-euo", "pipefail", "-c", script], { cwd, env }).catch(
          (error) => {
            throw new Error(
              `this step of the guide failed:\n${script}\n${error.stdout}${error.stderr}\nthe operator's log:\n${log}`,
            );
          },
        );
        output += stdout + stderr;
      }
    }

    assert.match(output, /site\.example\.com\/blog created/);
    assert.match(output, /http:\/\/blog\.default\.svc/);
    assert.match(output, /"verb": ?"apply"/, "the flight recorder shows the write");
    assert.match(output, /\[\+\]caches ok/);
    assert.match(output, /spec\.replicas in body should be less than or equal to 9/);
    assert.match(output, /spec\.image in body should be at least 1 chars long/);
    assert.match(output, /refused, as expected/);
    assert.match(log, /Owned object has fields of other field managers/);
    assert.doesNotMatch(log, /\berror\b/i);
    assert.match(readFileSync(join(work, "install.yaml"), "utf8"), /kind: ClusterRole\n/);
    assert.match(readFileSync(join(work, "charts/sites/Chart.yaml"), "utf8"), /name: sites/);
  });

  it("stops within seconds after SIGTERM", { timeout: 20_000 }, async () => {
    assert.ok(operator !== undefined);
    const ended = new Promise<number | null>((resolve) => operator?.once("exit", (code) => resolve(code)));

    operator.kill("SIGTERM");

    assert.equal(await ended, 0, log);
  });
});
