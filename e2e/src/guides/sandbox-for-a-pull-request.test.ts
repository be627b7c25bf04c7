// Follows the guide "a sandbox for a pull request" literally on the embedded cluster. Pods are simulated; the operator runs in this
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
import { sandboxOperator } from "@homeostat/sandbox-operator";
import { reasonToSkip } from "../harness/cluster.ts";
import { repository } from "../harness/repository.ts";

const run = promisify(execFile);
const page = readFileSync(join(repository, "docs/guides/sandbox-for-a-pull-request.md"), "utf8");
const scripts = [...page.matchAll(/```sh\n([\s\S]*?)```/g)].map((match) => match[1] ?? "");

describe("a sandbox for a pull request", { skip: (await reasonToSkip({ need: "control-plane" })) ?? false }, () => {
  let folder = "";
  let cluster: Cluster | undefined;
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  let webhookPort: number | undefined;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "homeostat-guide-"));
    cluster = await startCluster({
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
    const manager = createOperatorManager(sandboxOperator(), {
      connection,
      run: {
        namespace: "sandbox-system",
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
    assert.ok(existsSync(join(repository, "operators/sandbox/dist/main.js")));
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
            user: "system:serviceaccount:sandbox-system:sandbox-operator",
            group: "system:serviceaccounts",
          }),
        );
        await untilServed(env);
      }
    }

    const output = outputs.join("\n");
    assert.match(output, /deployment "sandbox-operator" successfully rolled out/);
    assert.match(output, /sandbox\.sandbox\.example\.com\/pr-42 condition met/);
    assert.match(output, /pr-42 +Running +True +pr-42/);
    assert.match(output, /deployment\.apps\/pr-42-cart-[0-9a-f]{8} +1\/1/);
    assert.match(output, /http:\/\/pr-42-cart-[0-9a-f]{8}\.shop\.svc:80/);
    assert.match(output, /^pr-42 -> pr-42\/cart$/m);
    assert.match(output, /checkout-v2: \["pr-42"\]/);
    assert.match(output, /sandbox\.sandbox\.example\.com "pr-42" deleted/);
    assert.match(
      outputs.at(-1) ?? "",
      /^deployment\.apps\/cart\ndeployment\.apps\/frontend\ndeployment\.apps\/orders\n$/,
    );
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

  /** Waits until the API server reaches the webhooks. Until then it denies every Sandbox, since the failure policy is Fail. */
  async function untilServed(env: NodeJS.ProcessEnv): Promise<void> {
    for (let left = 240; left > 0; left -= 1) {
      const args = ["apply", "--dry-run=server", "-f", "operators/sandbox/samples/baseline-policy.yaml"];
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
