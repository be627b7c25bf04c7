// What happens to the members of a cluster, seen by a watch of its pods.

import type { Client } from "@homeostat/client";
import { NetworkError } from "@homeostat/core";
import { Pod } from "@homeostat/kubernetes/core/v1";

interface Member {
  readonly uid: string;
  readonly isReady: boolean;
  readonly isStopping: boolean;
}

/**
 * Follows the members of a cluster.
 *
 * A member is down by the hand of the operator from the deletion of its pod until the next pod of its name is ready. Readiness alone says
 * less: while the controllers elect a leader, none of them votes, and none is ready.
 */
export class Members {
  readonly #members = new Map<string, Member>();
  readonly #stopped: string[] = [];
  readonly #down = new Set<string>();
  #mostDown = 0;

  /** Starts to count again. */
  reset(): void {
    this.#stopped.length = 0;
    this.#mostDown = this.#down.size;
  }

  /** Names of pods that were deleted since the last reset, in order. */
  get stopped(): readonly string[] {
    return this.#stopped;
  }

  /** Names of the members that are down by the hand of the operator. */
  get down(): readonly string[] {
    return [...this.#down];
  }

  /** Most members that were down by the hand of the operator at the same time. */
  get mostDown(): number {
    return this.#mostDown;
  }

  /** Names of the members that are ready. */
  get ready(): readonly string[] {
    return [...this.#members].filter(([, one]) => one.isReady && !one.isStopping).map(([name]) => name);
  }

  /** Watches the pods of a namespace that are members until the signal aborts. */
  async follow(client: Client, namespace: string, signal: AbortSignal): Promise<void> {
    const labelSelector = "app.kubernetes.io/component in (controller,ingest)";
    let { resourceVersion } = await client.list(Pod, { namespace, labelSelector });
    while (!signal.aborted) {
      try {
        for await (const event of client.watch(Pod, { namespace, labelSelector, resourceVersion, signal })) {
          if (event.type === "BOOKMARK") continue;
          resourceVersion = event.object.metadata.resourceVersion ?? resourceVersion;
          this.#note(event.object, event.type === "DELETED");
        }
      } catch (error) {
        if (!signal.aborted && !(error instanceof NetworkError)) throw error;
      }
    }
  }

  #note({ metadata, status }: Pod, isGone: boolean): void {
    const { name = "", uid = "" } = metadata;
    const before = this.#members.get(name);
    const isReady = status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") ?? false;
    const isStopping = isGone || metadata.deletionTimestamp !== undefined;
    if (isStopping && !(before?.uid === uid && before.isStopping)) {
      this.#stopped.push(name);
      this.#down.add(name);
    }
    if (isReady && !isStopping) this.#down.delete(name);
    this.#members.set(name, { uid, isReady: isReady && !isGone, isStopping });
    this.#mostDown = Math.max(this.#mostDown, this.#down.size);
  }

  /** Forgets a member that was removed. */
  forget(name: string): void {
    this.#members.delete(name);
    this.#down.delete(name);
  }
}
