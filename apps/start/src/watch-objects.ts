import type { Client } from "@homeostat/client";
import { ApiError, type Clock, type KubeObject, NetworkError, type ResourceType } from "@homeostat/core";

/** Selection of objects to watch, and their handler. */
export interface WatchedObjects<T extends KubeObject> {
  readonly type: ResourceType<T>;
  /** Namespace to watch; undefined for all. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  /** Called for every existing object, and for every change and deletion. */
  readonly onObject: (object: T, isDeleted: boolean) => void;
}

/** Lists and watches objects until the signal aborts. A failed watch starts again with a list, 500 ms later. */
export async function watchObjects<T extends KubeObject>(
  client: Client,
  { type, namespace, labelSelector, onObject }: WatchedObjects<T>,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<void> {
  const selection = {
    signal,
    ...(namespace === undefined ? {} : { namespace }),
    ...(labelSelector === undefined ? {} : { labelSelector }),
  };
  while (!signal.aborted) {
    try {
      const { items, resourceVersion } = await client.list(type, selection);
      for (const item of items) onObject(item, false);
      for await (const event of client.watch(type, { ...selection, resourceVersion }))
        if (event.type !== "BOOKMARK") onObject(event.object, event.type === "DELETED");
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof NetworkError) && !(error instanceof ApiError)) throw error;
      await clock.sleep(500, signal).catch(() => undefined);
    }
  }
}
