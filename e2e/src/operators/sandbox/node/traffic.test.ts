// Sandboxes on a real node: operator, route server and proxies run in pods from their images, and requests pass through a Service that is
// taken over.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Client } from "@homeostat/client";
import { findCondition } from "@homeostat/core";
import type { RealCluster } from "@homeostat/kube";
import { Deployment } from "@homeostat/kubernetes/apps/v1";
import { Namespace, Pod, Service } from "@homeostat/kubernetes/core/v1";
import { labels, RouteTable, Sandbox } from "@homeostat/sandbox-operator";
import { reasonToSkip, startCluster } from "../../../harness/cluster.ts";
import { Installed } from "../../../harness/installed.ts";
import { copyProgram, importImage } from "../../../harness/local-image.ts";
import { importProgramImage, operatorImage } from "../../../harness/operator-image.ts";

const run = promisify(execFile);
const need = "node";
const skip = (await reasonToSkip({ need })) ?? false;
const system = "sandbox-system";
const namespace = "shop";
const shopImage = "docker.io/local/shop:1";
const interception = "sandbox.example.com/interception";

describe("sandboxes on a real node", { skip, timeout: 900_000 }, () => {
  let cluster: RealCluster;
  let client: Client;
  let installed: Installed;
  let folder = "";

  before(async () => {
    cluster = await startCluster({ need });
    client = await Client.fromKubeconfig({ file: cluster.kubeconfigPath, defaults: { fieldManager: "a-user" } });
    installed = new Installed(cluster, client, { namespace: system, deployment: "sandbox-operator", lease: "" });
    folder = await mkdtemp(join(tmpdir(), "sandbox-traffic-"));
    // The names that the manifests have by default.
    importProgramImage(cluster.kubeconfigPath, "operators/sandbox", "docker.io/library/sandbox-operator:0.0.0");
    importProgramImage(cluster.kubeconfigPath, "apps/route-server", "docker.io/library/sandbox-route-server:0.0.0");
    importProgramImage(cluster.kubeconfigPath, "apps/proxy", "docker.io/library/sandbox-proxy:0.0.0");
    importShop(cluster.kubeconfigPath);
    const { stdout } = await run(
      process.execPath,
      [operatorImage("sandbox").program, "manifests", "--image-pull-policy", "IfNotPresent"],
      { maxBuffer: 1 << 26 },
    );
    const file = join(folder, "manifests.yaml");
    await writeFile(file, stdout);
    await installed.kubectl("apply", "--server-side", "-f", file);
  });

  after(async () => {
    client?.close();
    await cluster?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it("route requests with the key to the fork, and all others to the baseline, while proxies are killed", async () => {
    await createShop(client);
    await responds("", "v1");
    const failures = new BaselineProbe(() => request());

    await installed.create(`/apis/sandbox.example.com/v1alpha1/namespaces/${namespace}/sandboxes`, sandbox);
    const key = await installed.eventually("the sandbox to be ready with a taken-over Service", async () => {
      const found = await client.get(Sandbox, { namespace, name: "pr-42" });
      const table = await client.get(RouteTable, { namespace, name: "cart" });
      const isReady = findCondition(found?.status?.conditions ?? [], "Ready")?.status === "True";
      const isTaken = findCondition(table?.status?.conditions ?? [], "TakenOver")?.status === "True";
      return isReady && isTaken ? found?.status?.routingKey : undefined;
    });

    await responds(key, "pr-42");
    await responds("", "v1");
    await responds("unknown-key", "v1");

    // One of two proxies is killed without notice.
    const [victim] = await proxies();
    await client.delete(Pod, { namespace, name: victim ?? "" }, { gracePeriodSeconds: 0 });
    await installed.eventually("the other proxy to be replaced", async () =>
      (await proxies()).length === 2 && !(await proxies()).includes(victim ?? "") ? true : undefined,
    );
    await responds(key, "pr-42");

    await client.delete(Sandbox, { namespace, name: "pr-42" });
    await installed.eventually("the release of the Service", async () => {
      const service = await client.get(Service, { namespace, name: "cart" });
      return service?.spec?.selector?.["app"] === "cart" ? true : undefined;
    });
    await responds(key, "v1");
    await responds("", "v1");

    const { sent, failed } = await failures.stop();
    assert.ok(sent > 100, `only ${sent} requests were sent`);
    assert.deepEqual(failed.slice(0, 5), []);
  });

  /** Sends a request to the Service through the API server, which connects to an endpoint as kube-proxy does. */
  async function request(key = ""): Promise<string> {
    const response = await client.raw({
      method: "GET",
      path: `/api/v1/namespaces/${namespace}/services/http:cart:http/proxy/hello`,
      headers: key === "" ? {} : { "x-routing-key": key },
    });
    const parts: Uint8Array[] = [];
    for await (const part of response.body) parts.push(part);
    return Buffer.concat(parts).toString("utf8");
  }

  /** Waits until ten requests in a row reach a version. */
  async function responds(key: string, version: string): Promise<void> {
    let count = 0;
    await installed.eventually(`responses of ${version} to requests with key "${key}"`, async () => {
      const text = await request(key).catch((error: unknown) => String(error));
      count = text === `${version} /hello` ? count + 1 : 0;
      return count >= 10 ? true : undefined;
    });
  }

  async function proxies(): Promise<readonly string[]> {
    const { items } = await client.list(Pod, { namespace, labelSelector: "sandbox.example.com/proxy=true" });
    return items
      .filter(({ status, metadata }) => {
        const isReady = status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True");
        return isReady === true && metadata.deletionTimestamp === undefined;
      })
      .map(({ metadata }) => metadata.name ?? "");
  }
});

const sandbox = {
  apiVersion: "sandbox.example.com/v1alpha1",
  kind: "Sandbox",
  metadata: { name: "pr-42", namespace },
  spec: {
    services: [
      {
        name: "cart",
        targetRef: { name: "cart" },
        containers: [{ name: "app", env: [{ name: "VERSION", value: "pr-42" }] }],
      },
    ],
  },
};

/** Sends requests without a key all the time, and counts those that do not reach the baseline. */
class BaselineProbe {
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  readonly #failed: string[] = [];
  #sent = 0;

  constructor(send: () => Promise<string>) {
    this.#running = this.#run(send);
  }

  async stop(): Promise<{ readonly sent: number; readonly failed: readonly string[] }> {
    this.#stopping.abort();
    await this.#running;
    return { sent: this.#sent, failed: this.#failed };
  }

  async #run(send: () => Promise<string>): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const text = await send().catch((error: unknown) => String(error));
      this.#sent += 1;
      if (text !== "v1 /hello") this.#failed.push(`${new Date().toISOString()} ${text}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

function importShop(kubeconfigPath: string): void {
  const entrypoint = ["/usr/bin/node", "/app/server.mjs"];
  importImage(kubeconfigPath, { name: shopImage, entrypoint, user: "1001:1001" }, (target) => {
    mkdirSync(join(target, "app"), { recursive: true });
    copyFileSync(fileURLToPath(new URL("shop-server.js", import.meta.url)), join(target, "app/server.mjs"));
    copyProgram(process.execPath, target, "node");
  });
}

async function createShop(client: Client): Promise<void> {
  const metadata = { name: namespace, labels: { [labels.enabled]: "true" } };
  await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata });
  const app = { app: "cart" };
  await client.create(Deployment, {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "cart", namespace },
    spec: {
      replicas: 1,
      selector: { matchLabels: app },
      template: {
        metadata: { labels: app },
        spec: {
          containers: [
            {
              name: "app",
              image: shopImage,
              env: [{ name: "VERSION", value: "v1" }],
              ports: [{ name: "http", containerPort: 8080 }],
              readinessProbe: { httpGet: { path: "/", port: 8080 }, periodSeconds: 1 },
            },
          ],
        },
      },
    },
  });
  await client.create(Service, {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "cart", namespace, annotations: { [interception]: "Takeover" } },
    spec: { selector: app, ports: [{ name: "http", port: 80, targetPort: 8080 }] },
  });
}
