// An operator installed in a real cluster, and the steps that suites share.

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Client } from "@homeostat/client";
import { kubectl, type RealCluster } from "@homeostat/kube";
import { Deployment } from "@homeostat/kubernetes/apps/v1";
import { Lease } from "@homeostat/kubernetes/coordination/v1";
import { Pod } from "@homeostat/kubernetes/core/v1";

const run = promisify(execFile);
const waitMsMax = 300_000;
const pollMs = 300;

/** Namespace and object names of an installation. */
export interface InstallationNames {
  readonly namespace: string;
  readonly deployment: string;
  readonly lease: string;
}

/** An operator installed in a cluster. */
export class Installed {
  readonly client: Client;
  readonly #cluster: RealCluster;
  readonly #names: InstallationNames;

  constructor(cluster: RealCluster, client: Client, names: InstallationNames) {
    this.client = client;
    this.#cluster = cluster;
    this.#names = names;
  }

  /** Runs kubectl as the cluster administrator. Returns its output. */
  async kubectl(...words: string[]): Promise<string> {
    return (await run(await kubectl(), ["--kubeconfig", this.#cluster.kubeconfigPath, ...words])).stdout;
  }

  /** Polls until `look` returns a value. The timeout error contains the logs of the operator. */
  async eventually<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
    const end = Date.now() + waitMsMax;
    for (;;) {
      const found = await look();
      if (found !== undefined) return found;
      if (Date.now() > end) throw new Error(`timed out waiting for ${what}\n${await this.logs()}`);
      await new Promise((resolve) => setTimeout(resolve, pollMs));
    }
  }

  /** Waits until the given number of replicas is available. */
  async available(replicas: number): Promise<void> {
    const { namespace, deployment: name } = this.#names;
    await this.eventually("the operator's replicas", async () => {
      const deployment = await this.client.get(Deployment, { namespace, name });
      return deployment?.status?.availableReplicas === replicas ? deployment : undefined;
    });
  }

  /** Creates an object. Returns the error message of the API server, or an empty string on success. */
  async post(path: string, object: object): Promise<string> {
    const headers = { "content-type": "application/json" };
    try {
      (await this.client.raw({ method: "POST", path, headers, body: JSON.stringify(object) })).body.cancel();
      return "";
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  /** Creates an object, and retries while the webhooks of the operator are not reachable yet. */
  async create(path: string, object: object): Promise<void> {
    await this.eventually("the webhook", async () => ((await this.post(path, object)) === "" ? true : undefined));
  }

  /** Waits until the webhook denies an object with a message that contains all given parts. */
  async refuses(path: string, object: object, parts: readonly RegExp[]): Promise<void> {
    await this.eventually("a denial by the webhook", async () => {
      const problem = await this.post(path, object);
      if (problem === "") throw new Error(`the API server accepted ${JSON.stringify(object)}`);
      return parts.every((part) => part.test(problem)) ? problem : undefined;
    });
  }

  /** Returns the identity of the leader, or an empty string. */
  async leader(): Promise<string> {
    const { namespace, lease: name } = this.#names;
    return (await this.client.get(Lease, { namespace, name }))?.spec?.holderIdentity ?? "";
  }

  /** Kills the pod of the leader. Returns its identity. */
  async killLeader(): Promise<string> {
    const leader = await this.leader();
    const [name = ""] = leader.split("_");
    await this.client.delete(Pod, { namespace: this.#names.namespace, name }, { gracePeriodSeconds: 0 });
    return leader;
  }

  /** Returns the states of the operator's pods and the ends of their logs. */
  async logs(): Promise<string> {
    const { namespace } = this.#names;
    const { items } = await this.client.list(Pod, { namespace });
    const lines: string[] = [];
    for (const { metadata, status } of items) {
      lines.push(`${metadata.name}: ${JSON.stringify(status?.containerStatuses?.map(({ state }) => state))}`);
      try {
        for await (const line of this.client.logs({ namespace, name: metadata.name ?? "" }, { tailLines: 200 }))
          lines.push(line);
      } catch (error) {
        lines.push(String(error));
      }
    }
    return lines.join("\n");
  }
}
