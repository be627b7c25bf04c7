// Two candidates for one Lease in a namespace of their own, and the history of what they wrote.

import { systemClock, systemRandom } from "@homeostat/core";
import type { ApiRequest } from "@homeostat/kube";
import type { TestServer } from "../../../harness/test-server.ts";
import { CandidateProcess } from "./candidate-process.ts";
import { historyOf, type Write } from "./history.ts";
import { type CandidateOptions, durations } from "./protocol.ts";
import { Proxy } from "../../../harness/proxy.ts";

/** How the candidates of an arena are, other than usual. */
export interface ArenaOptions extends Partial<
  Pick<CandidateOptions, "connections" | "writeEveryMs" | "requestsMax" | "isFenced">
> {
  readonly name: string;
}

/** A candidate, and the network that it alone uses. */
export interface Contestant {
  readonly process: CandidateProcess;
  readonly network: Proxy;
}

/** Two candidates: the first leads and writes, the second stands by. */
export class Arena implements AsyncDisposable {
  readonly #cluster: TestServer;
  readonly #namespace: string;
  readonly #options: ArenaOptions;
  readonly #contestants: Contestant[] = [];

  private constructor(cluster: TestServer, options: ArenaOptions) {
    this.#cluster = cluster;
    this.#options = options;
    this.#namespace = `election-${options.name}-${process.pid}`;
  }

  /** Starts one, waits until it leads and writes, then starts the other and waits until it stands by. */
  static async open(cluster: TestServer, options: ArenaOptions): Promise<Arena> {
    const arena = new Arena(cluster, options);
    await arena.#send({ method: "POST", path: "/api/v1/namespaces", body: { metadata: { name: arena.#namespace } } });
    try {
      const first = await arena.#start("first");
      await first.untilLeadingAfter(-1);
      const second = await arena.#start("second");
      await second.until("stands by", () => second.report.at === "standing-by" && second.report.holder === "first");
      // Misfortune comes at any point between two renewals.
      await systemClock.sleep(systemRandom.next() * durations.retryPeriodMs);
      return arena;
    } catch (error) {
      await arena[Symbol.asyncDispose]();
      throw error;
    }
  }

  get first(): Contestant {
    return this.#at(0);
  }

  get second(): Contestant {
    return this.#at(1);
  }

  /** All that was written so far. */
  async history(): Promise<Write[]> {
    return historyOf(await this.#send({ path: `/api/v1/namespaces/${this.#namespace}/configmaps` }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { process, network } of this.#contestants) {
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
    this.#contestants.push({ process, network });
    return process;
  }

  #at(index: number): Contestant {
    const contestant = this.#contestants[index];
    if (contestant === undefined) throw new Error("not started");
    return contestant;
  }

  async #send(request: ApiRequest): Promise<unknown> {
    const { status, text, body } = await this.#cluster.request({ timeoutMs: 30_000, ...request });
    if (status >= 300) throw new Error(`${request.method ?? "GET"} ${request.path}: ${status} ${text}`);
    return body;
  }
}
