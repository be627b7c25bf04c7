// Removes the differences between two runs of a scenario: random name suffixes, uids, times, orders.

import { isList, isRecord, type JsonRecord, type KubeObject, type Stored } from "@homeostat/core";
import type { Event } from "@homeostat/kubernetes/core/v1";

/** Components whose events are compared. */
const components = new Set([
  "deployment-controller",
  "replicaset-controller",
  "statefulset-controller",
  "job-controller",
]);

/** Fields that differ between runs, or that the scenario itself writes. */
const dropped = new Set(["resourceVersion", "managedFields", "uid", "generation", "observedGeneration", "selfLink"]);

/** Names of pods that were deleted or rejected. */
const goneName = /((?:Created pod: |Deleted pod: |pods "|Pod )[a-z0-9-]+)-[bcdfghjklmnpqrstvwxz2456789]{5}(?=$|"|\s)/g;
const timeText = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/;
const uidText = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** Returns the comparable form: objects by kind and name, and events as lines. */
export function normalised(
  objects: readonly Stored<KubeObject>[],
  events: readonly Stored<Event>[],
  { namespace, isCounted }: { readonly namespace: string; readonly isCounted: boolean },
): unknown {
  // Pod names with random suffixes, longest first, and their names without the suffix.
  const names = objects
    .filter(
      ({ metadata: { name, generateName } }) => generateName !== undefined && name.length === generateName.length + 5,
    )
    .map(({ metadata }) => metadata.name)
    .toSorted((a, b) => b.length - a.length);
  const text = (value: string): string => {
    let result = value.replaceAll(namespace, "NAMESPACE").replaceAll(uidText, "UID");
    for (const name of names) result = result.replaceAll(name, `${name.slice(0, -5)}?`);
    return timeText.test(result) ? "TIME" : result.replaceAll(goneName, "$1-?");
  };
  const clean = (value: unknown): unknown => {
    if (typeof value === "string") return text(value);
    if (isList(value)) return value.map(clean);
    if (!isRecord(value)) return value;
    const kept = Object.entries(value).filter(([key]) => !dropped.has(key));
    return Object.fromEntries(kept.map(([key, part]) => [key, clean(part)]));
  };
  const shown = objects.map((object) => clean(visible(object)));
  const lines = events
    .filter(({ source, reportingComponent }) => components.has(source?.component ?? reportingComponent ?? ""))
    .filter(({ message }) => isCounted || message?.startsWith("(combined") !== true)
    .map((event) => {
      const { type, reason, message, involvedObject, source, count } = event;
      const about = `${involvedObject.kind}/${involvedObject.name}`;
      return text(`${source?.component} ${type} ${reason} ${about} x${isCounted ? count : "?"}: ${message}`);
    });
  return { objects: sorted(shown), events: isCounted ? lines.toSorted() : [...new Set(lines)].toSorted() };
}

/** Fields of pods that their controllers write. */
function visible(object: Stored<KubeObject>): object {
  const { kind, metadata } = object;
  if (kind !== "Pod") return { ...object, metadata: { ...metadata, creationTimestamp: undefined } };
  const { spec } = object as unknown as { spec: JsonRecord };
  const { hostname, subdomain, volumes, containers } = spec;
  const { status } = object as unknown as { status: JsonRecord };
  return {
    kind,
    metadata: { ...metadata, deletionTimestamp: metadata.deletionTimestamp, creationTimestamp: undefined },
    spec: { hostname, subdomain, volumes, containers },
    phase: status["phase"],
  };
}

function sorted(objects: readonly unknown[]): readonly unknown[] {
  return objects
    .map((object): [string, unknown] => [JSON.stringify(object), object])
    .toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([, object]) => object);
}

/** Reports whether the condition Progressing of a Deployment names a ReplicaSet that has no pods. */
export function keepsProgressing(snapshot: unknown): boolean {
  const scaled = objectsOf(snapshot, "ReplicaSet")
    .filter(({ spec }) => isRecord(spec) && spec["replicas"] !== 0)
    .map(({ metadata }) => (isRecord(metadata) ? String(metadata["name"]) : ""));
  const messages = objectsOf(snapshot, "Deployment")
    .flatMap(({ status }) => (isRecord(status) && isList(status["conditions"]) ? status["conditions"] : []))
    .flatMap((condition) => (isProgressing(condition) ? [String(condition["message"])] : []));
  return messages.some((message) => !scaled.some((name) => message.includes(`"${name}"`)));
}

/** Returns a snapshot without the condition Progressing of Deployments. */
export function withoutProgressing(snapshot: unknown): unknown {
  if (isList(snapshot)) return snapshot.filter((value) => !isProgressing(value)).map(withoutProgressing);
  if (!isRecord(snapshot)) return snapshot;
  return Object.fromEntries(Object.entries(snapshot).map(([key, value]) => [key, withoutProgressing(value)]));
}

function isProgressing(value: unknown): value is JsonRecord {
  return isRecord(value) && value["type"] === "Progressing";
}

function objectsOf(snapshot: unknown, kind: string): readonly JsonRecord[] {
  const objects = isRecord(snapshot) && isList(snapshot["objects"]) ? snapshot["objects"] : [];
  return objects.filter(isRecord).filter((object) => object["kind"] === kind);
}
