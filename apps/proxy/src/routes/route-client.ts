import type { Clock, Random } from "@homeostat/core";
import type { Logger } from "@homeostat/runtime";
import type { UseCounter } from "./use-counter.ts";
import { RouteStreamError } from "../errors.ts";
import type { Reporter } from "../traffic/reporter.ts";
import { followStream, type ProxyIdentity, type RouteServerAddress } from "./route-connection.ts";
import type { TableError, TableStore } from "./table-store.ts";

export interface RouteClientOptions {
  /** Reads address and credentials before each connection: the kubelet renews tokens, and the authority may change. */
  readonly address: () => Promise<RouteServerAddress>;
  readonly identity: ProxyIdentity;
  readonly store: TableStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly onSynced?: (() => void) | undefined;
  /** Resolves with the problems of tables when all that were received are in use. */
  readonly inUse: () => Promise<readonly TableError[]>;
  /** Uses of preview tokens to report, in the role gateway. */
  readonly uses?: UseCounter | undefined;
  /** Sends reports of traffic while a stream is open. */
  readonly reporter?: Reporter | undefined;
}

const backoffMs = { min: 250, max: 10_000 };
/** A stream that lasted this long was healthy: its end is not counted as a failure. */
const healthyMs = 30_000;

/**
 * Keeps a stream to a route server open, for as long as the proxy runs. After a failure it waits from 0.25 s, doubling up to 10 s, with
 * jitter, so that all proxies do not return at the same moment after a restart of the route server.
 */
export class RouteClient {
  readonly #options: RouteClientOptions;
  #failures = 0;
  #isConnected = false;
  #lastHeardAt: number | undefined;

  constructor(options: RouteClientOptions) {
    this.#options = options;
  }

  /** Milliseconds since the tables were known to be current; undefined if they never were. 0 while connected. */
  get ageMs(): number | undefined {
    if (this.#isConnected) return 0;
    return this.#lastHeardAt === undefined ? undefined : this.#options.clock.monotonic() - this.#lastHeardAt;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#options;
    while (!signal.aborted) {
      const startedAt = clock.monotonic();
      const error = await this.#follow(signal);
      if (signal.aborted) return;
      if (this.#isConnected) this.#lastHeardAt = clock.monotonic();
      this.#isConnected = false;
      if (clock.monotonic() - startedAt >= healthyMs) this.#failures = 0;
      const delayMs = this.#delay();
      log.warn("Lost route server, reconnecting", { error, status: statusOf(error), delayMs: Math.round(delayMs) });
      await clock.sleep(delayMs, signal).catch(() => undefined);
    }
  }

  /** Follows one stream; returns the reason of its end. */
  async #follow(signal: AbortSignal): Promise<unknown> {
    const { identity, store, clock, log, onSynced, inUse, reporter, uses } = this.#options;
    try {
      const address = await this.#options.address();
      await followStream(
        {
          address,
          identity,
          store,
          clock,
          inUse,
          uses,
          reporter,
          onSynced: () => {
            this.#isConnected = true;
            log.info("Received route tables", { tables: store.state.tables.size, ...store.position });
            onSynced?.();
          },
        },
        signal,
      );
      return undefined;
    } catch (error) {
      return error;
    }
  }

  #delay(): number {
    this.#failures += 1;
    const limitMs = Math.min(backoffMs.max, backoffMs.min * 2 ** Math.min(this.#failures, 10));
    return backoffMs.min + this.#options.random.next() * (limitMs - backoffMs.min);
  }
}

function statusOf(error: unknown): number | undefined {
  return error instanceof RouteStreamError && error.status !== 0 ? error.status : undefined;
}
