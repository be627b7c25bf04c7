import type { Client } from "@homeostat/client";
import { type KubeObject, NetworkError, type ResourceType } from "@homeostat/core";

/** Waits until `count` objects of a kind satisfy a predicate. */
export async function waitForAll<T extends KubeObject>(
  client: Client,
  type: ResourceType<T>,
  { count, matches, signal }: { count: number; matches: (object: T) => boolean; signal: AbortSignal },
): Promise<void> {
  const done = new Set<string>();
  const see = (object: T): void => {
    if (matches(object)) done.add(object.metadata.name ?? "");
  };
  const first = await client.list(type);
  first.items.forEach(see);
  let { resourceVersion } = first;
  while (done.size < count) {
    signal.throwIfAborted();
    try {
      for await (const event of client.watch(type, { resourceVersion, signal })) {
        if (event.type === "BOOKMARK") continue;
        resourceVersion = event.object.metadata.resourceVersion ?? resourceVersion;
        see(event.object);
        if (done.size >= count) break;
      }
    } catch (error) {
      if (!(error instanceof NetworkError)) throw error;
    }
  }
}
