// A real control plane with an audit log, nodes without machines, a trace collector, and operator processes with their own users.

import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { ChronikCluster, ChronikNodeGroup } from "@homeostat/chronik-operator";
import { Client } from "@homeostat/client";
import { readPointer } from "@homeostat/core";
import { kubectl, type RealCluster } from "@homeostat/kube";
import { startCluster } from "../../../harness/cluster.ts";
import { installKind } from "../../../harness/install-kind.ts";
import { OperatorProcess } from "../../../harness/operator-process.ts";
import { Collector } from "./collector.ts";
import { createNodes, runKubelets } from "./kubelets.ts";

const run = promisify(execFile);
const patienceMs = 120_000;

export const namespace = "streaming";
export const operatorNamespace = "chronik-operator-system";

/** A request in the audit log, when its response was complete. */
export interface AuditRecord {
  readonly id: string;
  readonly user: string;
  readonly verb: string;
  /** Plural and subresource: `pods/status`. */
  readonly resource: string;
  readonly path: string;
  /** Time at which the request arrived, in milliseconds since the epoch. */
  readonly at: number;
  readonly code: number;
}

/** The control plane that the tests of this suite share. */
export class Stage implements AsyncDisposable {
  readonly client: Client;
  readonly collector: Collector;
  readonly #cluster: RealCluster;
  readonly #folder: string;
  readonly #kubectl: string;
  readonly #ends: (() => unknown)[];

  private constructor(parts: {
    client: Client;
    collector: Collector;
    cluster: RealCluster;
    folder: string;
    kubectl: string;
    ends: (() => unknown)[];
  }) {
    this.client = parts.client;
    this.collector = parts.collector;
    this.#cluster = parts.cluster;
    this.#folder = parts.folder;
    this.#kubectl = parts.kubectl;
    this.#ends = parts.ends;
  }

  static async open(): Promise<Stage> {
    const folder = mkdtempSync(join(tmpdir(), "homeostat-chronik-"));
    const ends: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
    try {
      writeFileSync(join(folder, "policy.yaml"), auditPolicy);
      const flags = [`--audit-policy-file=${folder}/policy.yaml`, `--audit-log-path=${folder}/audit.log`];
      const cluster = await startCluster({ need: "control-plane", apiserverFlags: flags });
      ends.push(() => cluster.stop());
      const defaults = { fieldManager: "a-user" };
      const client = await Client.fromKubeconfig({ file: cluster.kubeconfigPath, defaults });
      ends.push(() => client.close());
      const collector = await Collector.start();
      ends.push(() => collector[Symbol.asyncDispose]());
      const stage = new Stage({ client, collector, cluster, folder, kubectl: await kubectl(), ends });
      await stage.#prepare();
      return stage;
    } catch (error) {
      for (const end of ends.toReversed()) await end();
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const end of this.#ends.toReversed()) await end();
  }

  async #prepare(): Promise<void> {
    for (const type of [ChronikCluster, ChronikNodeGroup]) await installKind(this.client, type.crd());
    await this.kubectl("create", "namespace", operatorNamespace);
    await this.kubectl("create", "namespace", namespace);
    await this.kubectl("label", "namespace", namespace, "pod-security.kubernetes.io/enforce=restricted");
    await createNodes(this.client, ["a", "b", "c"], 16);
    const stop = new AbortController();
    const kubelets = runKubelets(this.client, stop.signal);
    this.#ends.push(async () => {
      stop.abort();
      await kubelets;
    });
  }

  /** Runs kubectl as the cluster administrator. Returns its output. */
  async kubectl(...words: readonly string[]): Promise<string> {
    const { stdout } = await run(this.#kubectl, ["--kubeconfig", this.#cluster.kubeconfigPath, ...words]);
    return stdout;
  }

  /** Runs a line of a shell, in which kubectl is the cluster administrator and uses the namespace of the clusters. */
  async shell(line: string): Promise<string> {
    const env = { ...process.env, KUBECTL: this.#kubectl, CONFIG: this.#cluster.kubeconfigPath };
    const define = `kubectl() { "$KUBECTL" --kubeconfig "$CONFIG" --namespace ${namespace} "$@"; }`;
    return (await run("bash", ["-euo", "pipefail", "-c", `${define}\n${line}`], { env })).stdout;
  }

  /** Applies objects that are given as JSON. */
  async apply(...objects: readonly object[]): Promise<void> {
    const file = join(this.#folder, "objects.json");
    writeFileSync(file, JSON.stringify({ apiVersion: "v1", kind: "List", items: objects }));
    await this.kubectl("apply", "-f", file);
  }

  /** Starts an operator as a user of its own, so that the audit log tells the requests of several operators apart. */
  async startOperator(name: string): Promise<OperatorProcess> {
    await this.kubectl("-n", operatorNamespace, "create", "serviceaccount", name);
    const account = `--serviceaccount=${operatorNamespace}:${name}`;
    await this.kubectl("create", "clusterrolebinding", name, "--clusterrole=cluster-admin", account);
    const token = await this.kubectl("-n", operatorNamespace, "create", "token", name);
    const kubeconfigPath = join(this.#folder, `${name}.kubeconfig`);
    writeFileSync(kubeconfigPath, JSON.stringify(this.#kubeconfig(token.trim())));
    const operator = new OperatorProcess({
      operator: "chronik",
      kubeconfigPath,
      env: {
        POD_NAME: name,
        POD_NAMESPACE: operatorNamespace,
        FEATURE_GATES: "ZoneSpread=true",
        RESYNC_SECONDS: "5",
        OTEL_EXPORTER_OTLP_ENDPOINT: this.collector.url,
        OTEL_BSP_SCHEDULE_DELAY: "200",
      },
    });
    this.#ends.push(() => operator.stop());
    return operator;
  }

  #kubeconfig(token: string): object {
    const { server, ca = "" } = this.#cluster;
    const authority = Buffer.from(ca).toString("base64");
    return {
      apiVersion: "v1",
      kind: "Config",
      clusters: [{ name: "c", cluster: { server, "certificate-authority-data": authority } }],
      users: [{ name: "u", user: { token } }],
      contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
      "current-context": "c",
    };
  }

  /** Returns the requests in the audit log, in the order of their arrival. */
  audit(): readonly AuditRecord[] {
    const file = join(this.#folder, "audit.log");
    const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
    return lines.flatMap(auditRecord).toSorted((a, b) => a.at - b.at);
  }

  async get(name: string): Promise<ChronikCluster | undefined> {
    return this.client.get(ChronikCluster, { namespace, name });
  }

  /** Polls until `look` returns a value. */
  async eventually<T>(what: string, look: () => Promise<T | undefined> | T | undefined): Promise<T> {
    const end = performance.now() + patienceMs;
    for (;;) {
      const found = await look();
      if (found !== undefined) return found;
      if (performance.now() > end) {
        const { items } = await this.client.list(ChronikCluster);
        const states = items.map(({ metadata, status }) => `${metadata.name}: ${JSON.stringify(status)}`);
        throw new Error(`timed out waiting for ${what}\n${states.join("\n")}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

/** Records the requests of operators without their bodies. */
const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived, ResponseStarted]
rules:
  - level: Metadata
    userGroups: ["system:serviceaccounts:${operatorNamespace}"]
  - level: None
`;

function auditRecord(line: string): AuditRecord[] {
  // The last line may be incomplete while the API server writes.
  if (!line.endsWith("}")) return [];
  const event: unknown = JSON.parse(line);
  const text = (path: string): string => {
    const value = readPointer(event, path);
    return typeof value === "string" ? value : "";
  };
  const subresource = text("/objectRef/subresource");
  return [
    {
      id: text("/auditID"),
      user: text("/user/username").replace(`system:serviceaccount:${operatorNamespace}:`, ""),
      verb: text("/verb"),
      resource: `${text("/objectRef/resource")}${subresource === "" ? "" : `/${subresource}`}`,
      path: text("/requestURI"),
      at: Date.parse(text("/requestReceivedTimestamp")),
      code: Number(readPointer(event, "/responseStatus/code") ?? 0),
    },
  ];
}
