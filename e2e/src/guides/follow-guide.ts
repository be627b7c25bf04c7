import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { type AppModel, type Cluster, startCluster } from "@homeostat/cluster";
import { kubectl } from "@homeostat/kube";
import { createOperatorManager, type Operator } from "@homeostat/operator";
import { silentLogger } from "@homeostat/runtime";
import { repository } from "../harness/repository.ts";

const run = promisify(execFile);

/** A guide that installs an operator with webhooks and then uses it. */
export interface OperatorGuide {
  /** Path of the page in the repository. */
  readonly page: string;
  readonly operator: Operator;
  /** Namespace and name of the ServiceAccount that the guide installs. */
  readonly namespace: string;
  readonly serviceAccount: string;
  /** Models of the programs that the pods run. */
  readonly models?: readonly AppModel[];
  /** A manifest that the webhooks of the operator accept. */
  readonly validManifest: string;
}

/**
 * Runs all shell commands of a guide on an embedded cluster and returns their outputs. Fails at the first command that fails.
 *
 * Pods are simulated, so the operator runs in this process instead of in the pods of its Deployment. It starts after the first block of
 * commands, which installs it, with the permissions of the installed ServiceAccount.
 */
export async function followGuide(guide: OperatorGuide): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), "homeostat-guide-"));
  const stopping = new AbortController();
  let webhookPort: number | undefined;
  let running: Promise<void> | undefined;
  const cluster = await startCluster({
    models: guide.models ?? [],
    resolveService: () =>
      webhookPort === undefined ? "the webhook server is not started" : { host: "127.0.0.1", port: webhookPort },
  });
  try {
    await cluster.writeKubeconfig(join(folder, "kubeconfig"));
    const env = {
      ...process.env,
      NODE_OPTIONS: "--conditions=development",
      KUBECONFIG: join(folder, "kubeconfig"),
      PATH: `${dirname(await kubectl())}:${dirname(process.execPath)}:${process.env["PATH"]}`,
    };
    const outputs: string[] = [];
    for (const commands of await commandsOf(guide.page)) {
      for (const command of commands) outputs.push(await follow(command, env));
      if (running !== undefined) continue;
      running = runOperator(cluster, guide, { signal: stopping.signal, onListening: (port) => (webhookPort = port) });
      await untilServed(guide.validManifest, env);
    }
    return outputs;
  } finally {
    stopping.abort();
    await running;
    await cluster.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns the lines of each shell block of a page. */
async function commandsOf(page: string): Promise<readonly (readonly string[])[]> {
  const text = await readFile(join(repository, page), "utf8");
  return [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = ""]) => block.trim().split("\n"));
}

function runOperator(
  cluster: Cluster,
  { operator, namespace, serviceAccount }: OperatorGuide,
  { signal, onListening }: { readonly signal: AbortSignal; readonly onListening: (port: number) => void },
): Promise<void> {
  const manager = createOperatorManager(operator, {
    connection: cluster.connection({
      user: `system:serviceaccount:${namespace}:${serviceAccount}`,
      group: "system:serviceaccounts",
    }),
    run: { namespace, webhookPort: 0, healthProbeBindAddress: "0", metricsBindAddress: "0", grace: 0 },
    webhooks: { host: "127.0.0.1", pollMs: 500, onListening },
    log: silentLogger,
    env: {},
  });
  return manager.run(signal);
}

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

/** Waits until the API server reaches the webhooks. Until then it denies every object, since the failure policy is Fail. */
async function untilServed(manifest: string, env: NodeJS.ProcessEnv): Promise<void> {
  const args = ["apply", "--dry-run=server", "-f", manifest];
  for (let left = 240; left > 0; left -= 1) {
    const isServed = await run("kubectl", args, { cwd: repository, env }).then(
      () => true,
      () => false,
    );
    if (isServed) return;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  assert.fail("the webhooks never responded");
}
