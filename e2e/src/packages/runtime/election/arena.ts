// Two candidates for one Lease in its own namespace, and the history of their writes.

import { systemClock, systemRandom } from "@homeostat/core";
import type { ApiRequest } from "@homeostat/kube";
import type { TestServer } from "../../../harness/test-server.ts";
import { CandidateProcess } from "./candidate-process.ts";
import { historyOf, type Write } from "./history.ts";
import { type CandidateOptions, durations } from "./protocol.ts";
import { Proxy } from "../../../harness/proxy.ts";

/** Deviations from the default options of candidates. */
export interface ArenaOptions extends Partial<
  Pick<CandidateOptions, "connections" | "writeEveryMs" | "requestsMax" | "isFenced">
> {
  readonly name: string;
}

/** A candidate and the network that only it uses. */
export interface ArenaCandidate {
  readonly process: CandidateProcess;
  readonly network: Proxy;
}

/** Two candidates: the first leads and writes, the second stands by. */
export class Arena implements AsyncDisposable {
  readonly #cluster: TestServer;
  readonly #namespace: string;
  readonly #options: ArenaOptions;
  readonly #candidates: ArenaCandidate[] = [];

  private constructor(cluster: TestServer, options: ArenaOptions) {
    this.#cluster = cluster;
    this.#options = options;
    this.#namespace = `election-${options.name}-${process.pid}`;
  }

  /** Starts the first, waits until it leads and writes, then starts the second and waits until it stands by. */
  static async open(cluster: TestServer, options: ArenaOptions): Promise<Arena> {
    const arena = new Arena(cluster, options);
    await arena.#send({ method: "POST", path: "/api/v1/namespaces", body: { metadata: { name: arena.#namespace } } });
    try {
      const first = await arena.#start("first");
      await first.untilLeadingAfter(-1);
      const second = await arena.#start("second");
      await second.until("stands by", () => second.report.at === "standing-by" && second.report.holder === "first");
      // Faults happen at a random point between two renewals.
      await systemClock.sleep(systemRandom.next() * durations.retryPeriodMs);
      return arena;
    } catch (error) {
      await arena[Symbol.asyncDispose]();
      throw error;
    }
  }

  get first(): ArenaCandidate {
    return this.#at(0);
  }

  get second(): ArenaCandidate {
    return this.#at(1);
  }

  /** Returns all writes so far. */
  async history(): Promise<Write[]> {
    return historyOf(await this.#send({ path: `/api/v1/namespaces/${this.#namespace}/configmaps` }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { process, network } of this.#candidates) {
      await process.kill();
      await network[Symbol.asyncDispose]();
    }
    await this.#send({ method: "DELETE", path: `/api/v1/namespaces/${this.#namespace}` });
  }

  async #start(identity: string): Promise<CandidateProcess> {
    const { connections = 0, writeEveryMs = 20, requestsMax = 32, isFenced = true } = this.#options;
    const network = await Proxy.open(this.#cluster.server);
    const process = new CandidateProcess({
      kubeconfig: this.#cluster.kubeconfigPath,
      server: network.url,
      identity,
      namespace: this.#namespace,
      connections,
      writeEveryMs,
      requestsMax,
      isFenced,
    });
    this.#candidates.push({ process, network });
    return process;
  }

  #at(index: number): ArenaCandidate {
    const candidate = this.#candidates[index];
    if (candidate === undefined) throw new Error("not started");
    return candidate;
  }

  async #send(request: ApiRequest): Promise<unknown> {
    const { status, text, body } = await this.#cluster.request({ timeoutMs: 30_000, ...request });
    if (status >= 300) throw new Error(`${request.method ?? "GET"} ${request.path}: ${status} ${text}`);
    return body;
  }
}
