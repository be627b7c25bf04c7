import type { DriftEntry } from "../api/types.ts";
import { driftText } from "../present/reconcile-text.ts";
import type { Html } from "./html.ts";
import { age, table, text } from "./parts.ts";

/** Returns corrected drift as a table. */
export function driftTable(entries: readonly Omit<DriftEntry, "controller">[], none: string, nowMs: number): Html {
  return table({
    label: "Drift log",
    columns: ["Age", "Object", "Reverted", "Changed by"],
    rows: entries.map((entry) => {
      const { change, by } = driftText(entry);
      return [age(entry.at, nowMs), ...[entry.object, change, by].map(text)];
    }),
    none,
  });
}
