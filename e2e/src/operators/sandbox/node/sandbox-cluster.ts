// A real node with operator, route server and the shop, and the steps that the tests of the suite share.

import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client } from "@homeostat/client";
import { type Condition, findCondition, releaseVersion } from "@homeostat/core";
import type { RealCluster } from "@homeostat/kube";
import { ConfigMap, Pod, Service } from "@homeostat/kubernetes/core/v1";
import { configMapName, labels, RouteTable, Sandbox, systemNamespace } from "@homeostat/sandbox-operator";
import { startCluster } from "../../../harness/cluster.ts";
import { Installed } from "../../../harness/installed.ts";
import { importProgramImage, operatorImage } from "../../../harness/operator-image.ts";
import { LoadClient, send, type ShopResponse } from "./load-client.ts";
import { importShop, shopSandbox, type ShopSandbox } from "./shop.ts";

const run = promisify(execFile);

/** A Service of the shop. */
export interface ServiceName {
  readonly namespace: string;
  readonly name: string;
}

export class SandboxCluster implements AsyncDisposable {
  readonly client: Client;
  readonly installed: Installed;
  readonly #cluster: RealCluster;
  readonly #folder: string;
  /** Cluster addresses of Services. They never change. */
  readonly #addresses = new Map<string, string>();

  private constructor(cluster: RealCluster, client: Client, folder: string) {
    this.#cluster = cluster;
    this.#folder = folder;
    this.client = client;
    this.installed = new Installed(cluster, client, {
      namespace: systemNamespace,
      deployment: "sandbox-operator",
      lease: "",
    });
  }

  /** Starts a node and installs the operator with a configuration. */
  static async start(config: string): Promise<SandboxCluster> {
    const cluster = await startCluster({ need: "node" });
    const client = await Client.fromKubeconfig({ file: cluster.kubeconfigPath, defaults: { fieldManager: "a-user" } });
    const folder = await mkdtemp(join(tmpdir(), "sandbox-traffic-"));
    const started = new SandboxCluster(cluster, client, folder);
    await started.#install(config);
    return started;
  }

  async #install(config: string): Promise<void> {
    const { kubeconfigPath } = this.#cluster;
    // The names that the manifests have by default.
    importProgramImage(kubeconfigPath, "operators/sandbox", `docker.io/library/sandbox-operator:${releaseVersion}`);
    importProgramImage(kubeconfigPath, "apps/route-server", `docker.io/library/sandbox-route-server:${releaseVersion}`);
    importProgramImage(kubeconfigPath, "apps/tunnel", `docker.io/library/sandbox-tunnel:${releaseVersion}`);
    importProgramImage(kubeconfigPath, "apps/proxy", `docker.io/library/sandbox-proxy:${releaseVersion}`);
    importShop(kubeconfigPath);
    const words = [operatorImage("sandbox").program, "manifests", "--image-pull-policy", "IfNotPresent"];
    const { stdout } = await run(process.execPath, words, { maxBuffer: 1 << 26 });
    const file = join(this.#folder, "manifests.yaml");
    await writeFile(file, stdout);
    await this.installed.kubectl("apply", "--server-side", "-f", file);
    await this.client.create(ConfigMap, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: configMapName, namespace: systemNamespace },
      data: { "config.yaml": config },
    });
  }

  get kubeconfigPath(): string {
    return this.#cluster.kubeconfigPath;
  }

  /** Sends a request to a Service by its cluster address. */
  async request(service: ServiceName, key = ""): Promise<ShopResponse> {
    const headers = key === "" ? {} : { "x-routing-key": key };
    return send({ host: await this.addressOf(service), port: 80, headers });
  }

  /** Waits until ten requests in a row reach a version. */
  async responds(service: ServiceName, key: string, version: string): Promise<void> {
    await this.installed.eventually(`ten responses of ${version} to key "${key}"`, async () => {
      for (let count = 0; count < 10; count += 1) {
        const { body } = await this.request(service, key).catch((error: unknown) => ({ body: String(error) }));
        if (body !== `${version} /hello`) return undefined;
      }
      return true;
    });
  }

  /** Starts a client that sends requests without a key to a Service. */
  async load(service: ServiceName): Promise<LoadClient> {
    return new LoadClient({ host: await this.addressOf(service), port: 80, expected: "v1 /hello" });
  }

  async addressOf({ namespace, name }: ServiceName): Promise<string> {
    const key = `${namespace}/${name}`;
    const known = this.#addresses.get(key);
    if (known !== undefined) return known;
    const address = (await this.client.get(Service, { namespace, name }))?.spec?.clusterIP ?? "";
    this.#addresses.set(key, address);
    return address;
  }

  /** Creates a sandbox that forks Deployments, and waits until it is ready. Its routes are then in force. */
  async createSandbox(sandbox: ShopSandbox): Promise<void> {
    const { namespace, name } = sandbox;
    const path = `/apis/sandbox.example.com/v1alpha1/namespaces/${namespace}/sandboxes`;
    await this.installed.create(path, shopSandbox(sandbox));
    await this.installed.eventually(`sandbox ${name} to be ready`, async () => {
      const found = await this.client.get(Sandbox, { namespace, name });
      return findCondition(found?.status?.conditions ?? [], "Ready")?.status === "True" ? true : undefined;
    });
  }

  /** Waits until the RouteTable of a Service has a condition with a status, and returns the condition. */
  hasCondition(service: ServiceName, type: "TakenOver" | "Conflict", status: string): Promise<Condition> {
    return this.installed.eventually(`condition ${type} of ${service.name} to be ${status}`, async () => {
      const table = await this.client.get(RouteTable, service);
      const condition = findCondition(table?.status?.conditions ?? [], type);
      return condition?.status === status ? condition : undefined;
    });
  }

  /** Waits until the Service selects its baseline. */
  async isRestored({ namespace, name }: ServiceName): Promise<void> {
    await this.installed.eventually(`Service ${name} to select its baseline`, async () => {
      const service = await this.client.get(Service, { namespace, name });
      return service?.spec?.selector?.["app"] === name ? true : undefined;
    });
  }

  /** Returns the pods of the proxy of a namespace that are not being deleted. */
  async proxies(namespace: string): Promise<readonly Pod[]> {
    const { items } = await this.client.list(Pod, { namespace, labelSelector: `${labels.proxy}=true` });
    return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  }

  async readyProxies(namespace: string): Promise<readonly string[]> {
    return (await this.proxies(namespace)).filter((pod) => isReady(pod)).map(({ metadata }) => metadata.name ?? "");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.client.close();
    await this.#cluster.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** Reports whether the kubelet has reported a pod as ready. */
export function isReady({ status }: Pod): boolean {
  return status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") === true;
}
