import type { Client } from "@homeostat/client";
import { ApiError, type Clock, type KubeObject, NetworkError, type ResourceType } from "@homeostat/core";

/** What is followed. */
export interface Followed<T extends KubeObject> {
  readonly type: ResourceType<T>;
  /** Only in this namespace. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  /** Called for every object that there is, and whenever one changes or goes. */
  readonly tell: (object: T, isGone: boolean) => void;
}

/** Tells of objects until the signal aborts. A watch that breaks begins again. */
export async function follow<T extends KubeObject>(
  client: Client,
  { type, namespace, labelSelector, tell }: Followed<T>,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<void> {
  const which = {
    signal,
    ...(namespace === undefined ? {} : { namespace }),
    ...(labelSelector === undefined ? {} : { labelSelector }),
  };
  while (!signal.aborted) {
    try {
      const { items, resourceVersion } = await client.list(type, which);
      for (const item of items) tell(item, false);
      for await (const event of client.watch(type, { ...which, resourceVersion }))
        if (event.type !== "BOOKMARK") tell(event.object, event.type === "DELETED");
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof NetworkError) && !(error instanceof ApiError)) throw error;
      await clock.sleep(500, signal).catch(() => undefined);
    }
  }
}
