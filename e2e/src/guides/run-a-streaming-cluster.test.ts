// Follows the guide "run a streaming cluster" literally on the embedded cluster, and then runs the commands of the runbook. Pods are simulated; the
// operator runs in this process instead of in the pods of its Deployment. Time passes faster than for a reader.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { chronikOperator } from "@homeostat/chronik-operator";
import { chronikModel } from "@homeostat/chronik-operator/app-model";
import { type Cluster, startCluster } from "@homeostat/cluster";
import { systemClock } from "@homeostat/core";
import { kubectl } from "@homeostat/kube";
import { createOperatorManager } from "@homeostat/operator";
import { silentLogger } from "@homeostat/runtime";
import { issue, makeAuthority } from "@homeostat/x509";
import { reasonToSkip } from "../harness/cluster.ts";
import { fastClock } from "../harness/fast-clock.ts";
import { repository } from "../harness/repository.ts";

const run = promisify(execFile);
const namespace = "chronik-operator-system";

/** Returns the lines of the shell blocks of a page. */
function commandsOf(page: string): readonly string[] {
  const text = readFileSync(join(repository, page), "utf8");
  return [...text.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block = ""]) => block.trim().split("\n"));
}

describe("run a streaming cluster", { skip: (await reasonToSkip({ need: "control-plane" })) ?? false }, () => {
  let folder = "";
  let cluster: Cluster | undefined;
  const clock = fastClock(10);
  const stopping = new AbortController();
  let running: Promise<void> | undefined;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "homeostat-guide-"));
    symlinkSync(join(repository, "operators"), join(folder, "operators"));
    // As npm installs the package `homeostat`, and the manifests of the rehearsal that the guide shows.
    mkdirSync(join(folder, "node_modules", ".bin"), { recursive: true });
    symlinkSync(join(repository, "apps/cli/bin/homeostat.js"), join(folder, "node_modules", ".bin", "homeostat"));
    for (const name of ["old.yaml", "new.yaml"])
      copyFileSync(join(repository, "apps/cli/samples/rehearse", name), join(folder, name));
    const now = clock.now();
    const days = (count: number): Date => new Date(now + count * 86_400_000);
    const authority = makeAuthority({ subject: { commonName: "ca" }, validFrom: days(-1), validUntil: days(400) });
    for (const name of ["tls", "new"]) {
      const request = { subject: { commonName: name }, hosts: ["dev"], validFrom: days(-1), validUntil: days(300) };
      const { cert, key } = issue(authority, request);
      writeFileSync(join(folder, `${name}.crt`), cert);
      writeFileSync(join(folder, `${name}.key`), key);
    }
    cluster = await startCluster({ clock, models: [chronikModel] });
    await cluster.writeKubeconfig(join(folder, "kubeconfig"));
  });

  after(async () => {
    stopping.abort();
    await running;
    await cluster?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Runs the operator with the permissions that were just installed. */
  function start(target: Cluster): void {
    const user = `system:serviceaccount:${namespace}:chronik-operator`;
    const operator = chronikOperator({ callClock: systemClock, resolvePod: (ip, port) => target.addressOf(ip, port) });
    const manager = createOperatorManager(operator, {
      connection: target.connection({ user, group: "system:serviceaccounts" }),
      run: { namespace, healthProbeBindAddress: "0", metricsBindAddress: "0", grace: 0, leaderElect: false },
      log: silentLogger,
      clock,
      env: {},
    });
    running = manager.run(stopping.signal);
  }

  /** Runs one command. The clock of the server is ahead, so kubectl would take every response in its cache for a fresh one: it gets an empty cache. */
  async function follow(command: string, common: NodeJS.ProcessEnv): Promise<string> {
    const env = { ...common, KUBECACHEDIR: mkdtempSync(join(folder, "cache-")) };
    try {
      const { stdout, stderr } = await run("bash", ["-euo", "pipefail", "-c", command], { cwd: folder, env });
      return stdout + stderr;
    } catch (error) {
      const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
      throw new Error(`this command failed:\n${command}\n${stdout}${stderr}`, { cause: error });
    }
  }

  it("works as written, and so do the commands of the runbook", { timeout: 600_000 }, async () => {
    assert.ok(cluster !== undefined);
    const env = {
      ...process.env,
      NODE_OPTIONS: "--conditions=development",
      KUBECONFIG: join(folder, "kubeconfig"),
      PATH: `${dirname(await kubectl())}:${dirname(process.execPath)}:${process.env["PATH"]}`,
    };
    const outputs: string[] = [];
    for (const command of commandsOf("docs/guides/run-a-streaming-cluster.md")) {
      outputs.push(await follow(command, env));
      if (running === undefined) start(cluster);
    }
    const guide = outputs.join("\n");
    for (const command of commandsOf("docs/reference/chronik-runbook.md"))
      await follow(command.replaceAll("NAMESPACE", "streaming").replaceAll(/\bNAME\b(?!:)/g, "dev"), env);

    assert.match(guide, /deployment "chronik-operator" successfully rolled out/);
    assert.match(guide, /dev +Running +True +3\/3 +3\/3 +2\/2/);
    assert.match(guide, /Finished: the change is complete after/);
    assert.match(guide, /dev-ingest-bootstrap\.streaming\.svc\.cluster\.local:9092/);
    assert.match(guide, /"component":"ingest".*"reasons":\["ConfigChanged"\]/);
    assert.match(guide, /dev +Running +True +5\/5 +3\/3 +2\/2/);
    assert.match(guide, /"requested":"2Gi","resizing":0/);
    assert.match(guide, /controller: 5 outdated, blocked by Window/);
    assert.match(guide, /"active":"blue"/);
    assert.match(guide, /dev-search +dev +search +2 +2/);
    assert.match(guide, /data-dev-controller-4 +2Gi +dev/);
    assert.match(guide, /1 of 5 volumes of the controllers are usable/);
    assert.match(guide, /Controllers rejoin the quorum with the volumes of data-dev-controller-0/);
  });
});
