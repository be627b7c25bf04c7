import type { BenchContext } from "../harness/interruptible.ts";
import { type RealCluster, realCluster } from "@homeostat/kube";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { loadWidgets } from "./loader.ts";
import { RawApi } from "./raw-api.ts";
import { Apiserver } from "./apiserver-process.ts";
import { countsOf, type ServerCounts } from "./server-metrics.ts";
import { pause } from "./time.ts";
import { group, namespaces, widgetDefinition } from "./widget.ts";

// Disables limits that protect a shared server: otherwise the limits would be measured.
const flags = [
  "--enable-priority-and-fairness=false",
  "--max-requests-inflight=3000",
  "--max-mutating-requests-inflight=1000",
];

/** A real etcd and kube-apiserver for this run, with the benchmark's CRD. */
export class Server implements AsyncDisposable {
  readonly api: RawApi;
  readonly kubeconfigPath: string;
  readonly apiserver: Apiserver;
  readonly #cluster: RealCluster;
  readonly #benchContext: BenchContext;
  #loaded = 0;

  private constructor(cluster: RealCluster, benchContext: BenchContext) {
    this.#cluster = cluster;
    this.#benchContext = benchContext;
    this.api = new RawApi(cluster);
    this.kubeconfigPath = join(dirname(cluster.kubeconfigPath), "kubeconfig.json");
    writeFileSync(this.kubeconfigPath, kubeconfigOf(cluster));
    this.apiserver = new Apiserver(dirname(cluster.kubeconfigPath), this.api, benchContext.signal);
  }

  /** Starts a new server. Never uses an existing cluster of the user. */
  static async start(benchContext: BenchContext): Promise<Server> {
    const { HOMEOSTAT_E2E: _, HOMEOSTAT_E2E_KUBECONFIG: __, ...env } = process.env;
    const cluster = await realCluster({ need: "apiserver", apiserverFlags: flags, env, ...benchContext });
    const server = new Server(cluster, benchContext);
    try {
      await server.#prepare();
      return server;
    } catch (error) {
      await server[Symbol.asyncDispose]();
      throw error;
    }
  }

  async #prepare(): Promise<void> {
    const { api } = this;
    const { signal } = this.#benchContext;
    for (const name of Object.values(namespaces)) {
      const body = JSON.stringify({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
      await api.must({ method: "POST", path: "/api/v1/namespaces", body }, signal);
    }
    const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    await api.must({ method: "POST", path, body: JSON.stringify(widgetDefinition) }, signal);
    while (!(await api.isOk(`/apis/${group}/v1/widgets?limit=1`))) await pause(100, signal);
    // The first writes of a new kind take seconds for every client.
    await loadWidgets({ api, namespace: namespaces.fresh, from: 0, to: 100, signal });
    await this.clearFresh();
  }

  /** Creates objects until there are `count`. Never removes any. */
  async haveObjects(count: number): Promise<void> {
    const { signal, report } = this.#benchContext;
    if (count <= this.#loaded) return;
    report(`loading ${count - this.#loaded} objects`);
    const started = performance.now();
    await loadWidgets({
      api: this.api,
      namespace: namespaces.cached,
      from: this.#loaded,
      to: count,
      signal,
      report: (done) => report(`loaded ${done} of ${count}`),
    });
    this.#loaded = count;
    // Warm-up: the first list after a start or a load is much slower than later ones for every client.
    for (let i = 0; i < 2; i += 1) await this.api.must({ path: `/apis/${group}/v1/widgets?resourceVersion=0` }, signal);
    report(`loaded ${count} objects in ${((performance.now() - started) / 1000).toFixed(1)} s`);
  }

  /** Number of objects to cache. */
  get objects(): number {
    return this.#loaded;
  }

  /** Returns the request counts of the kube-apiserver since its start. */
  async counts(): Promise<ServerCounts> {
    return countsOf((await this.api.must({ path: "/metrics" }, this.#benchContext.signal)).text);
  }

  /** Returns the bytes per object in a list of all objects. */
  async bytesPerObject(): Promise<number> {
    const { text } = await this.api.must({ path: `/apis/${group}/v1/widgets?limit=100` }, this.#benchContext.signal);
    const { items } = JSON.parse(text) as { items: unknown[] };
    return items.length === 0 ? 0 : Buffer.byteLength(text) / items.length;
  }

  /** Deletes the objects that a run created. */
  async clearFresh(): Promise<void> {
    const { signal } = this.#benchContext;
    const paths = [
      `/apis/${group}/v1/namespaces/${namespaces.fresh}/widgets`,
      `/api/v1/namespaces/${namespaces.fresh}/configmaps`,
    ];
    for (const path of paths) await this.api.must({ method: "DELETE", path, timeoutMs: 300_000 }, signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.api[Symbol.dispose]();
    await this.#cluster.stop();
  }
}

/** Returns a kubeconfig as JSON, which is also YAML: a program in a pod parses no kubeconfig, so the cost of YAML is not measured. */
export function kubeconfigOf({ server, ca, cert, key }: RealCluster): string {
  const base64 = (pem: string | undefined): string => Buffer.from(pem ?? "").toString("base64");
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "bench",
    clusters: [{ name: "bench", cluster: { server, "certificate-authority-data": base64(ca) } }],
    users: [{ name: "bench", user: { "client-certificate-data": base64(cert), "client-key-data": base64(key) } }],
    contexts: [{ name: "bench", context: { cluster: "bench", user: "bench" } }],
  });
}
