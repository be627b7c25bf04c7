import type { Client } from "@homeostat/client";
import { Event } from "@homeostat/kubernetes/core/v1";
import { ageOf } from "../output/ages.ts";

/** Reads the events of objects of a namespace, the oldest first. */
export async function readEvents(
  client: Client,
  {
    namespace,
    names,
    signal,
  }: { readonly namespace: string; readonly names: readonly string[]; readonly signal: AbortSignal },
): Promise<readonly Event[]> {
  const lists = await Promise.all(
    names.map((name) => client.list(Event, { namespace, fieldSelector: `involvedObject.name=${name}`, signal })),
  );
  return lists
    .flatMap(({ items }) => items)
    .toSorted((a, b) => (timeOf(a) < timeOf(b) ? -1 : timeOf(a) > timeOf(b) ? 1 : 0));
}

function timeOf({ lastTimestamp, eventTime, metadata }: Event): string {
  return lastTimestamp ?? eventTime ?? metadata.creationTimestamp ?? "";
}

/** Returns an event as a line. */
export function eventLine(event: Event, now: number): string {
  const { type = "Normal", reason = "", message = "", count = 1, involvedObject } = event;
  const times = count > 1 ? ` (${count} times)` : "";
  const object = `${involvedObject.kind ?? ""}/${involvedObject.name ?? ""}`;
  return `${ageOf(timeOf(event), now).padEnd(6)} ${type} ${reason} ${object}: ${message}${times}`;
}
