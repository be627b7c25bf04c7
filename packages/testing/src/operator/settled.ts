import { type Client, metadataOnly } from "@homeostat/client";
import { keyOf } from "@homeostat/core";
import type { Manager } from "@homeostat/runtime";

/**
 * Returns what an operator has left to do; empty if it is done. Done means: its caches contain what the API server stores, no key waits, runs or is to be
 * retried, and all events were sent. Keys that wait for a requeue that the reconciler asked for count as done.
 */
export async function workLeft(manager: Manager, client: Client): Promise<readonly string[]> {
  const before = reconciles(manager);
  const busy = [...busyParts(manager)];
  if (busy.length > 0) return busy;
  const outdated: string[] = [];
  for (const { selection, byKey } of manager.progress().cache) {
    const { type, ...selectors } = selection;
    const { namespace, labelSelector, fieldSelector } = selectors;
    const { items } = await client.list(metadataOnly(type), {
      ...(namespace === undefined ? {} : { namespace }),
      ...(labelSelector === undefined ? {} : { labelSelector }),
      ...(fieldSelector === undefined ? {} : { fieldSelector }),
    });
    const isSame =
      items.length === byKey.size && items.every((item) => byKey.get(keyOf(item)) === item.metadata.resourceVersion);
    if (!isSame) outdated.push(`the cache of ${type.plural} is behind the API server`);
  }
  if (outdated.length > 0) return outdated;
  const since = [...busyParts(manager)];
  return since.length === 0 && before !== reconciles(manager) ? ["an object was reconciled in the meantime"] : since;
}

function* busyParts(manager: Manager): Generator<string> {
  const { queues, eventsWaiting, cache } = manager.progress();
  for (const { controller, queue } of queues) {
    if (queue === undefined) {
      yield `controller ${controller} has not started`;
      continue;
    }
    const { waiting, running } = queue.counts;
    // A delayed key whose attempts have failed waits for its retry; others wait for a requeue.
    const retries = queue.delayed.filter(({ attempt }) => attempt > 1).map(({ key }) => key);
    if (waiting > 0) yield `controller ${controller} has ${waiting} keys to reconcile`;
    if (running > 0) yield `controller ${controller} reconciles ${running} keys`;
    if (retries.length > 0) yield `controller ${controller} retries ${retries.join(", ")}`;
  }
  for (const { selection, isSynced } of cache) {
    if (!isSynced) yield `the cache of ${selection.type.plural} is not filled`;
  }
  if (eventsWaiting > 0) yield `${eventsWaiting} events are not sent`;
}

/** Returns a text that changes with every reconcile. */
function reconciles({ history }: Manager): string {
  return [...history.keys()].map(({ last: { id } }) => id).join(" ");
}
