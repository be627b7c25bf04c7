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
 * A member is down from the deletion of its pod until the next pod of its name is ready. In most stories, only the operator deletes pods.
 * Readiness alone says less: while the controllers elect a leader, none of them votes, and none is ready.
 */
export class Members {
  readonly #members = new Map<string, Member>();
  readonly #stopped: string[] = [];
  readonly #down = new Set<string>();
  readonly #nodes = new Map<string, string>();
  #mostDown = 0;
  #mostOfComponentDown = 0;

  /** Starts to count again. */
  reset(): void {
    this.#stopped.length = 0;
    this.#mostDown = 0;
    this.#mostOfComponentDown = 0;
    this.#countDown();
  }

  /** Names of pods that were deleted since the last reset, in order. Includes pods that others than the operator deleted. */
  get stopped(): readonly string[] {
    return this.#stopped;
  }

  /** Names of the members that are down because their pod was deleted. */
  get down(): readonly string[] {
    return [...this.#down];
  }

  /** Most members that were down at the same time because their pods were deleted. */
  get mostDown(): number {
    return this.#mostDown;
  }

  /** The same number, of one component. */
  get mostOfComponentDown(): number {
    return this.#mostOfComponentDown;
  }

  /** Names of the members that are ready. */
  get ready(): readonly string[] {
    return [...this.#members].filter(([, one]) => one.isReady && !one.isStopping).map(([name]) => name);
  }

  /** Names of the members whose present pods run on a node. */
  on(node: string): readonly string[] {
    return [...this.#nodes].filter(([, other]) => other === node).map(([name]) => name);
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

  #note({ metadata, spec, status }: Pod, isGone: boolean): void {
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
    if (isGone || spec?.nodeName === undefined) this.#nodes.delete(name);
    else this.#nodes.set(name, spec.nodeName);
    this.#countDown();
  }

  #countDown(): void {
    const controllers = this.down.filter((name) => name.includes("-controller-")).length;
    const most = Math.max(controllers, this.#down.size - controllers);
    this.#mostDown = Math.max(this.#mostDown, this.#down.size);
    this.#mostOfComponentDown = Math.max(this.#mostOfComponentDown, most);
  }

  /** Forgets a member that was removed. */
  forget(name: string): void {
    this.#members.delete(name);
    this.#down.delete(name);
  }
}
