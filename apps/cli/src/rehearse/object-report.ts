import type { KubeObject } from "@homeostat/core";
import type { ObjectChange, TimelineEntry } from "@homeostat/operator";
import { describeChange, fieldChanges } from "./field-changes.ts";

/** Most lines about one change of one object. */
const detailsMax = 12;

/** Annotations that controllers of every cluster and operator set. */
const hiddenEverywhere: readonly string[] = ["deployment.kubernetes.io/revision", "homeostat.dev/desired-hash"];

/** Returns the entry about a created, changed or deleted object; undefined if nothing changed that says anything to users. */
export function objectEntry(
  { atMs, type, object, before }: ObjectChange<KubeObject>,
  { kind, hidden }: { readonly kind: string; readonly hidden: readonly string[] },
): TimelineEntry | undefined {
  const { name = "" } = object.metadata;
  const data = { kind, name };
  if (type === "added") return { atMs, topic: "create", text: `${kind} ${name}`, data };
  if (type === "deleted") return { atMs, topic: "delete", text: `${kind} ${name}`, data };
  const hiddenPaths = new Set(
    [...hiddenEverywhere, ...hidden].flatMap((key) => [`metadata.annotations[${key}]`, `metadata.labels[${key}]`]),
  );
  const changes = before === undefined ? [] : fieldChanges(before, object).filter(({ path }) => !hiddenPaths.has(path));
  // Replica counts have entries of their own.
  if (changes.every(({ path }) => path === "spec.replicas")) return undefined;
  const lines = changes.flatMap(describeChange).map((line) => line.replace(/^spec\.template\./, "pod template: "));
  const rest = lines.length - detailsMax;
  const details = rest > 0 ? [...lines.slice(0, detailsMax), `and ${rest} more lines`] : lines;
  return { atMs, topic: "change", text: `${kind} ${name}`, details, data };
}
