// Conversion between the two event types, which hold the same data under different field names.

import type { JsonRecord } from "@homeostat/core";

/** Names of fields in `v1` and in `events.k8s.io/v1` that differ. */
const names: readonly (readonly [core: string, newer: string])[] = [
  ["involvedObject", "regarding"],
  ["message", "note"],
  ["source", "deprecatedSource"],
  ["firstTimestamp", "deprecatedFirstTimestamp"],
  ["lastTimestamp", "deprecatedLastTimestamp"],
  ["count", "deprecatedCount"],
  ["reportingComponent", "reportingController"],
];

const coreToEvents = new Map(names);
const eventsToCore = new Map(names.map(([core, newer]) => [newer, core]));

/** Converts an event of `v1` to `events.k8s.io/v1`. */
export function toEventsV1(event: JsonRecord): JsonRecord {
  return { ...renamed(event, coreToEvents), kind: "Event", apiVersion: "events.k8s.io/v1" };
}

/** Converts an event of `events.k8s.io/v1` to `v1`. */
export function toCoreV1(event: JsonRecord): JsonRecord {
  return { ...renamed(event, eventsToCore), kind: "Event", apiVersion: "v1" };
}

function renamed(event: JsonRecord, fieldNames: ReadonlyMap<string, string>): JsonRecord {
  return Object.fromEntries(Object.entries(event).map(([name, value]) => [fieldNames.get(name) ?? name, value]));
}
