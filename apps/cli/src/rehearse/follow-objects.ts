import type { Client } from "@homeostat/client";
import { ApiError, type Clock, type KubeObject, NetworkError, type ResourceType } from "@homeostat/core";
import type { ObjectChange } from "@homeostat/operator";

/** The objects to follow. */
export interface FollowedObjects<T extends KubeObject> {
  readonly type: ResourceType<T>;
  readonly namespace: string;
  readonly labelSelector?: string | undefined;
  /** Called for every existing object and for every change. */
  readonly onChange: (change: Omit<ObjectChange<T>, "atMs">) => void;
}

/** Lists and watches objects until the signal aborts, and reports each change with the object before it. */
export async function followObjects<T extends KubeObject>(
  client: Client,
  { type, namespace, labelSelector, onChange }: FollowedObjects<T>,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<void> {
  const known = new Map<string, T>();
  const selection = { namespace, signal, ...(labelSelector !== undefined && { labelSelector }) };
  const observe = (object: T): void => {
    const { name = "" } = object.metadata;
    const before = known.get(name);
    if (before?.metadata.resourceVersion === object.metadata.resourceVersion && before !== undefined) return;
    known.set(name, object);
    if (before !== undefined && before.metadata.uid !== object.metadata.uid)
      onChange({ type: "deleted", object: before, before });
    const isSame = before?.metadata.uid === object.metadata.uid;
    onChange({ type: isSame ? "modified" : "added", object, before: isSame ? before : undefined });
  };
  const forget = (object: T): void => {
    const { name = "" } = object.metadata;
    const before = known.get(name);
    if (before?.metadata.uid !== object.metadata.uid) return;
    known.delete(name);
    onChange({ type: "deleted", object, before });
  };
  while (!signal.aborted) {
    try {
      const { items, resourceVersion } = await client.list(type, selection);
      const names = new Set(items.map(({ metadata }) => metadata.name ?? ""));
      for (const object of known.values()) if (!names.has(object.metadata.name ?? "")) forget(object);
      for (const object of items) observe(object);
      for await (const event of client.watch(type, { ...selection, resourceVersion }))
        if (event.type === "DELETED") forget(event.object);
        else if (event.type !== "BOOKMARK") observe(event.object);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof NetworkError) && !(error instanceof ApiError)) throw error;
      await clock.sleep(500, signal).catch(() => undefined);
    }
  }
}
