// Records the uses of preview tokens that gateways report in the status of the RouteTable whose host accepts the token. The operator copies
// them to the PreviewLinks.

import type { Client } from "@homeostat/client";
import { type Clock, ConflictError, type DeepReadonly, formatTime, NotFoundError } from "@homeostat/core";
import type { Logger } from "@homeostat/runtime";
import { RouteTable } from "@homeostat/sandbox-operator";
import { planUses, type UsesPatch, type UseSum } from "./use-plan.ts";

/** Uses of a preview token that a gateway reports. */
export interface TokenUse {
  readonly id: string;
  readonly count: number;
  readonly lastUsedAt: string;
}

export interface UseWriterOptions {
  readonly client: Pick<Client, "patch">;
  readonly clock: Clock;
  readonly log: Logger;
  /** Returns the table with the host that accepts a token. */
  readonly tableOf: (tokenId: string) => DeepReadonly<RouteTable> | undefined;
  /** Returns all tables. */
  readonly tables: () => readonly DeepReadonly<RouteTable>[];
  /** Name of this replica. Each replica has an entry of its own for each token. */
  readonly replica: string;
  /** Returns the names of all replicas that exist; undefined if they are not known. */
  readonly replicas: () => ReadonlySet<string> | undefined;
}

/** Time between two writes; a token that is used often is written once in this time. */
const intervalMs = 5_000;

/** Writes with JSON merge patches of single entries, so replicas do not remove the entries of each other. */
export class UseWriter {
  readonly #options: UseWriterOptions;
  readonly #sums = new Map<string, UseSum>();
  #dirty = new Set<string>();

  constructor(options: UseWriterOptions) {
    this.#options = options;
  }

  /** Adds uses. Those of tokens that no host accepts are dropped. */
  add(uses: readonly TokenUse[]): void {
    const { tableOf, replica } = this.#options;
    for (const { id, count, lastUsedAt } of uses) {
      const table = tableOf(id);
      if (table === undefined) continue;
      // The entry of this name may be from before a restart.
      const before = this.#sums.get(id) ?? table.status?.tokenUses?.[id]?.[replica];
      this.#sums.set(id, { count: (before?.count ?? 0) + count, lastUsedAt: formatTime(Date.parse(lastUsedAt)) });
      this.#dirty.add(id);
    }
  }

  /** Writes until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#options.clock.sleep(intervalMs, signal).catch(() => undefined);
      await this.flush();
    }
  }

  /** Writes the sums that changed, and removes tokens that are revoked. Failed writes are repeated with the next ones. */
  async flush(): Promise<void> {
    const { tables, log, replica, replicas } = this.#options;
    const ids = this.#dirty;
    this.#dirty = new Set();
    for (const table of tables()) {
      const patch = planUses({ table, ids, sums: this.#sums, replica, replicas: replicas() });
      if (Object.keys(patch).length === 0) continue;
      try {
        await this.#write(table, patch);
      } catch (error) {
        if (error instanceof NotFoundError || error instanceof ConflictError) continue;
        log.warn("Failed to write the uses of preview tokens", { table: table.metadata.name, error });
        for (const id of Object.keys(patch)) if (this.#sums.has(id)) this.#dirty.add(id);
      }
    }
    for (const id of this.#sums.keys()) if (this.#options.tableOf(id) === undefined) this.#sums.delete(id);
  }

  async #write({ metadata }: DeepReadonly<RouteTable>, tokenUses: UsesPatch): Promise<void> {
    const { name = "", namespace = "", uid = "" } = metadata;
    await this.#options.client.patch(
      RouteTable,
      { namespace, name },
      { merge: { metadata: { uid }, status: { tokenUses } } },
      { subresource: "status", fieldManager: "sandbox-route-server" },
    );
  }
}
