// A cache on an API server, over a network that a test can cut.

import { type Client, createClient, loadConnection } from "@homeostat/client";
import { systemClock, systemRandom } from "@homeostat/core";
import { Cache, type CacheNote, clientSources, type ReflectorSettings } from "@homeostat/runtime";
import { Proxy } from "../../../harness/proxy.ts";
import type { TestServer } from "../../../harness/test-server.ts";

/** A running cache. */
export class RunningCache implements AsyncDisposable {
  readonly network: Proxy;
  readonly cache: Cache;
  readonly notes: CacheNote[] = [];
  readonly #client: Client;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  private constructor(network: Proxy, client: Client, settings: ReflectorSettings) {
    this.network = network;
    this.#client = client;
    this.cache = new Cache({
      sources: clientSources(client),
      clock: systemClock,
      random: systemRandom,
      // Short back-offs, so that the suite does not wait for minutes.
      reflector: { backoff: { minMs: 100, maxMs: 1000 }, ...settings },
      observer: { note: (_, note) => void this.notes.push(note) },
    });
    this.#running = this.cache.run(this.#stop.signal);
  }

  static async begin(cluster: TestServer, settings: ReflectorSettings = {}): Promise<RunningCache> {
    const network = await Proxy.open(cluster.server);
    const connection = await loadConnection({ file: cluster.kubeconfigPath });
    return new RunningCache(network, createClient({ ...connection, server: network.url }), settings);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new Error("the test has ended"));
    await this.#running;
    this.#client.close();
    await this.network[Symbol.asyncDispose]();
  }
}

/** Polls until a condition holds, for at most a minute. */
export async function until(what: string, test: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 3000; tries += 1) {
    if (await test()) return;
    await systemClock.sleep(20);
  }
  throw new Error(`timed out after a minute waiting until ${what}`);
}
