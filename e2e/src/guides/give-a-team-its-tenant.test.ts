// Follows the guide "give a team its tenant" literally on the embedded cluster. Pods are simulated; the operator runs in this
// process instead of in the pods of its Deployment.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { type Cluster, startCluster } from "@homeostat/cluster";
import { kubectl } from "@homeostat/kube";
import { createOperatorManager } from "@homeostat/operator";
import { silentLogger } from "@homeostat/runtime";
import { tenantOperator } from "@homeostat/tenant-operator";
import { redisModel } from "@homeostat/tenant-operator/app-model";
import { reasonToSkip } from "../harness/cluster.ts";
import { repository } from "../harness/repository.ts";

const run = promisify(execFile);
const page = readFileSync(join(repository, "docs/guides/give-a-team-its-tenant.md"), "utf8");
const scripts = [...page.matchAll(/```sh\n([\s\S]*?)```/g)].map((match) => match[1] ?? "");

describe("give a team its tenant", { skip: (await reasonToSkip({ need: "control-plane" })) ?? false }, () => {
  let folder = "";
  let cluster: Cluster | undefined;
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  let webhookPort: number | undefined;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "homeostat-guide-"));
    cluster = await startCluster({
      models: [redisModel],
      resolveService: () =>
        webhookPort === undefined ? "the webhook server is not started" : { host: "127.0.0.1", port: webhookPort },
    });
    await cluster.writeKubeconfig(join(folder, "kubeconfig"));
  });

  after(async () => {
    stopping.abort();
    await running;
    await cluster?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Runs the operator with the permissions that were just installed. */
  function start(connection: ReturnType<Cluster["connection"]>): void {
    const manager = createOperatorManager(tenantOperator(), {
      connection,
      run: {
        namespace: "neurallog-system",
        webhookPort: 0,
        healthProbeBindAddress: "0",
        metricsBindAddress: "0",
        grace: 0,
      },
      webhooks: { host: "127.0.0.1", pollMs: 500, onListening: (port) => void (webhookPort = port) },
      log: silentLogger,
      env: {},
    });
    running = manager.run(stopping.signal);
  }

  it("works as written", { timeout: 600_000 }, async () => {
    assert.ok(cluster !== undefined);
    assert.ok(existsSync(join(repository, "operators/tenant/dist/main.js")));
    const env = {
      ...process.env,
      NODE_OPTIONS: "--conditions=development",
      KUBECONFIG: join(folder, "kubeconfig"),
      PATH: `${dirname(await kubectl())}:${dirname(process.execPath)}:${process.env["PATH"]}`,
    };
    const outputs: string[] = [];
    for (const script of scripts) {
      for (const command of script.trim().split("\n")) outputs.push(await follow(command, env));
      if (running === undefined) {
        start(
          cluster.connection({
            user: "system:serviceaccount:neurallog-system:neurallog-operator",
            group: "system:serviceaccounts",
          }),
        );
        await untilServed(env);
      }
    }

    const output = outputs.join("\n");
    assert.match(output, /deployment "neurallog-operator" successfully rolled out/);
    assert.match(output, /tenant\.neurallog\.io\/acme condition met/);
    assert.match(output, /acme +Running +tenant-acme +Running +Running +\S+ +Acme +True/);
    assert.match(output, /http:\/\/acme-server\.tenant-acme\.svc:3030/);
    assert.match(output, /networkpolicy\.networking\.k8s\.io\/default-deny-all/);
    assert.match(output, /^yes$/m);
    assert.match(output, /tenant\.neurallog\.io "acme" deleted/);
    assert.match(output, /spec\.redis\.config\[maxmemory\]: Invalid value: "100Mi": use Redis units/);
  });

  /** Runs one command of the guide and retries it: on a busy machine the API server may time out on a webhook, as for a user. */
  async function follow(command: string, env: NodeJS.ProcessEnv): Promise<string> {
    for (let left = 10; ; left -= 1) {
      try {
        const { stdout, stderr } = await run("bash", ["-euo", "pipefail", "-c", command], { cwd: repository, env });
        return stdout + stderr;
      } catch (error) {
        const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
        const isLate = /failed calling webhook|TLS handshake timeout|context deadline exceeded/.test(stderr);
        if (isLate && left > 0) continue;
        throw new Error(`this step of the guide failed:\n${command}\n${stdout}${stderr}`, { cause: error });
      }
    }
  }

  /** Waits until the API server reaches the webhooks. Until then it denies every Tenant, since the failure policy is Fail. */
  async function untilServed(env: NodeJS.ProcessEnv): Promise<void> {
    for (let left = 240; left > 0; left -= 1) {
      const args = ["apply", "--dry-run=server", "-f", "operators/tenant/samples/basic.yaml"];
      const isServed = await run("kubectl", args, { cwd: repository, env }).then(
        () => true,
        () => false,
      );
      if (isServed) return;
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
    assert.fail("the webhooks never responded");
  }
});
