import type { ConflictError, StatusCause } from "@homeostat/core";
import type { FieldConflict } from "./errors.ts";

/**
 * Returns the fields of an apply conflict with their field managers.
 *
 * The server names the manager in the message only: `conflict with "kubectl-edit" using apps/v1 at 2026-01-02T03:04:05Z`.
 */
export function conflictsOf({ causes }: Pick<ConflictError, "causes">): readonly FieldConflict[] {
  return causes.filter(({ reason }) => reason === "FieldManagerConflict").map(conflictIn);
}

function conflictIn({ field = "", message = "" }: StatusCause): FieldConflict {
  const [, quoted] = /^conflict with ("(?:[^"\\]|\\.)*")/.exec(message) ?? [];
  return { field: field.replace(/^\./, ""), manager: quoted === undefined ? undefined : unquote(quoted) };
}

function unquote(quoted: string): string {
  try {
    const text: unknown = JSON.parse(quoted);
    return typeof text === "string" ? text : quoted;
  } catch {
    // Go escapes some characters differently from JSON.
    return quoted.slice(1, -1);
  }
}
