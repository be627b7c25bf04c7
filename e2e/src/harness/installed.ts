// An operator that was installed into a real cluster, and what one does to see how it fares.

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Client } from "@homeostat/client";
import { kubectl, type RealCluster } from "@homeostat/kube";
import { Pod } from "@homeostat/kubernetes/core/v1";

const run = promisify(execFile);
const waitMsMax = 300_000;
const lookMs = 300;

/** An operator in a cluster, by the namespace that its pods are in. */
export class Installed {
  readonly #cluster: RealCluster;
  readonly #client: Client;
  readonly #namespace: string;

  constructor(cluster: RealCluster, client: Client, namespace: string) {
    this.#cluster = cluster;
    this.#client = client;
    this.#namespace = namespace;
  }

  /** What kubectl prints, as somebody who may do everything. */
  async ask(...words: string[]): Promise<string> {
    return (await run(await kubectl(), ["--kubeconfig", this.#cluster.kubeconfigPath, ...words])).stdout;
  }

  /** Waits until a look finds something; when it takes too long, the error has what the pods of the operator say. */
  async eventually<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
    const end = Date.now() + waitMsMax;
    for (;;) {
      const found = await look();
      if (found !== undefined) return found;
      if (Date.now() > end) throw new Error(`waited too long for ${what}\n${await this.told()}`);
      await new Promise((resolve) => setTimeout(resolve, lookMs));
    }
  }

  /** What the pods of the operator say, and how they are. */
  async told(): Promise<string> {
    const namespace = this.#namespace;
    const { items } = await this.#client.list(Pod, { namespace });
    const lines: string[] = [];
    for (const { metadata, status } of items) {
      lines.push(`${metadata.name}: ${JSON.stringify(status?.containerStatuses?.map(({ state }) => state))}`);
      try {
        for await (const line of this.#client.logs({ namespace, name: metadata.name ?? "" }, { tailLines: 200 }))
          lines.push(line);
      } catch (error) {
        lines.push(String(error));
      }
    }
    return lines.join("\n");
  }
}
