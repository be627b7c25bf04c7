// Adds the uses of preview tokens that gateways report to the status of their PreviewLinks.

import type { Client } from "@homeostat/client";
import { type Clock, ConflictError, type DeepReadonly, formatTime, NotFoundError } from "@homeostat/core";
import type { Logger } from "@homeostat/runtime";
import { PreviewLink } from "@homeostat/sandbox-operator";

/** Uses of a preview token that a gateway reports. */
export interface TokenUse {
  readonly id: string;
  readonly count: number;
  readonly lastUsedAt: string;
}

export interface UseWriterOptions {
  readonly client: Pick<Client, "apply">;
  readonly clock: Clock;
  readonly log: Logger;
  /** Returns the link of a token. */
  readonly link: (tokenId: string) => DeepReadonly<PreviewLink> | undefined;
  /** Name of this replica. Each replica has an entry of its own in the status. */
  readonly replica: string;
}

/** Time between two writes; a link that is used often is written once in this time. */
const intervalMs = 5_000;

/** Sum of the uses of a token at this replica. */
interface Sum {
  readonly count: number;
  readonly lastUsedAt: string;
}

export class UseWriter {
  readonly #options: UseWriterOptions;
  readonly #sums = new Map<string, Sum>();
  #dirty = new Set<string>();

  constructor(options: UseWriterOptions) {
    this.#options = options;
  }

  /** Adds uses. Those of tokens without a link are dropped. */
  add(uses: readonly TokenUse[]): void {
    const { link, replica } = this.#options;
    for (const { id, count, lastUsedAt } of uses) {
      const found = link(id);
      if (found === undefined) continue;
      // The entry of this name may be from before a restart.
      const before = this.#sums.get(id) ?? found.status?.uses?.find(({ name }) => name === replica);
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

  /** Writes the sums that changed. Failed writes are repeated with the next ones. */
  async flush(): Promise<void> {
    const { log, link } = this.#options;
    const ids = [...this.#dirty];
    this.#dirty = new Set();
    for (const id of ids) {
      try {
        await this.#write(id);
      } catch (error) {
        if (error instanceof NotFoundError || error instanceof ConflictError) continue;
        log.warn("Failed to write the uses of a preview link", { error });
        this.#dirty.add(id);
      }
    }
    for (const id of this.#sums.keys()) if (link(id) === undefined) this.#sums.delete(id);
  }

  async #write(id: string): Promise<void> {
    const { client, link, replica } = this.#options;
    const { name = "", namespace = "", uid = "" } = link(id)?.metadata ?? {};
    const sum = this.#sums.get(id);
    if (uid === "" || sum === undefined) return;
    await client.apply(
      PreviewLink,
      { metadata: { name, namespace, uid }, status: { uses: [{ name: replica, ...sum }] } },
      { subresource: "status", fieldManager: `sandbox-route-server/${replica}`.slice(0, 128), force: true },
    );
  }
}
