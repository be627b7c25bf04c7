// What happens to the members of a cluster, seen by a watch of its pods.

import type { Client } from "@homeostat/client";
import { NetworkError } from "@homeostat/core";
import { Pod } from "@homeostat/kubernetes/core/v1";

interface Member {
  readonly uid: string;
  readonly isReady: boolean;
  readonly isStopping: boolean;
}

/** Follows the members of a cluster. */
export class Members {
  readonly #members = new Map<string, Member>();
  readonly #stopped: string[] = [];
  #mostDown = 0;
  #mostStopping = 0;

  /** Starts to count again: all members that exist now are expected from now on. */
  reset(): void {
    this.#stopped.length = 0;
    this.#mostDown = this.#down();
    this.#mostStopping = this.#stopping();
  }

  /** Names of pods that were deleted since the last reset, in order. */
  get stopped(): readonly string[] {
    return this.#stopped;
  }

  /** Most members that were not ready at the same time. */
  get mostDown(): number {
    return this.#mostDown;
  }

  /** Most members that were being deleted at the same time: the ones that are down by the hand of the operator. */
  get mostStopping(): number {
    return this.#mostStopping;
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
    if (isStopping && !(before?.uid === uid && before.isStopping)) this.#stopped.push(name);
    // A deleted pod stays in the map: its member is down until another pod of the name is ready.
    this.#members.set(name, { uid, isReady: isReady && !isGone, isStopping });
    this.#mostDown = Math.max(this.#mostDown, this.#down());
    this.#mostStopping = Math.max(this.#mostStopping, this.#stopping());
  }

  #down(): number {
    return [...this.#members.values()].filter(({ isReady, isStopping }) => !isReady || isStopping).length;
  }

  #stopping(): number {
    return [...this.#members.values()].filter(({ isStopping }) => isStopping).length;
  }

  /** Forgets members that a scale-down removed. */
  forget(name: string): void {
    this.#members.delete(name);
  }
}
