import type { Condition } from "@homeostat/core";
import { tableLines } from "./table-lines.ts";

/** Returns named values as lines. Empty ones are omitted. */
export function fieldLines(fields: Readonly<Record<string, string | undefined>>): readonly string[] {
  const rows = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined || value === "" ? [] : [[`${name}:`, value]],
  );
  return tableLines(rows);
}

/** Returns conditions as lines. */
export function conditionLines(conditions: readonly Condition[]): readonly string[] {
  const rows = conditions.map(({ type, status, reason, message }) => [type, status, reason, message]);
  return tableLines(rows).map((line) => `  ${line}`);
}
