import { quote } from "@homeostat/cel";
import type { StatusCause } from "@homeostat/core";
import { identityText, type ManagerIdentity } from "./managers.ts";
import { type Path, pathText } from "./path-element.ts";
import { compareBytes } from "../codec/go-text.ts";

/** Fields that an apply would change although another manager owns them. */
export interface Conflict {
  readonly manager: ManagerIdentity;
  readonly paths: readonly Path[];
}

/** Returns the causes of the Status for conflicts, ordered by manager. */
export function conflictCauses(conflicts: readonly Conflict[]): StatusCause[] {
  return sorted(conflicts).flatMap(({ manager, paths }) =>
    paths.map((path) => ({
      reason: "FieldManagerConflict",
      message: `conflict with ${managerText(manager)}`,
      field: pathText(path),
    })),
  );
}

/** Returns the message of the Status for conflicts. */
export function conflictMessage(conflicts: readonly Conflict[]): string {
  const count = conflicts.reduce((sum, { paths }) => sum + paths.length, 0);
  const [first] = conflicts;
  if (count === 1 && first !== undefined) {
    const [path = []] = first.paths;
    return `Apply failed with 1 conflict: conflict with ${managerText(first.manager)}: ${pathText(path)}`;
  }
  const lines = sorted(conflicts).flatMap(({ manager, paths }) => [
    `conflicts with ${managerText(manager)}:`,
    ...paths.map((path) => `- ${pathText(path)}`),
  ]);
  return `Apply failed with ${count} conflicts: ${lines.join("\n")}`;
}

function sorted(conflicts: readonly Conflict[]): Conflict[] {
  return [...conflicts].sort((a, b) => compareBytes(identityText(a.manager), identityText(b.manager)));
}

function managerText({ manager, operation, apiVersion, subresource }: ManagerIdentity): string {
  const suffix = subresource === "" ? "" : ` with subresource ${quote(subresource)}`;
  return `${quote(manager)}${suffix}${operation === "Update" ? ` using ${apiVersion}` : ""}`;
}
