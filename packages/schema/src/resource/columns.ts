import { duplicate, forbidden, invalid, required, type Problem } from "../problem/problem.ts";
import type { Schema } from "../structural/schema.ts";
import { conditionTypes } from "./conditions.ts";
import type { Column, VersionDefinition } from "./definition.ts";
import { parsePath, resolvePath } from "./path.ts";

/** A printer column as the manifest has it. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
  readonly jsonPath: string;
}

/** The printer columns of a version, with types from its schema where none is given. */
export function printerColumns(definition: VersionDefinition, root: Schema): PrinterColumn[] {
  return (definition.columns ?? []).map((column) => {
    const jsonPath = pathOf(column);
    return {
      name: column.name,
      type: column.type ?? inferType(root, jsonPath),
      ...(column.format !== undefined && { format: column.format }),
      ...(column.description !== undefined && { description: column.description }),
      // The server leaves a priority of 0 out, and reading the manifest back should show what was written.
      ...(column.priority !== undefined && column.priority !== 0 && { priority: column.priority }),
      jsonPath,
    };
  });
}

function pathOf(column: Column): string {
  if (column.condition === undefined) return column.jsonPath ?? "";
  return `.status.conditions[?(@.type=="${column.condition}")].${column.show ?? "status"}`;
}

function inferType(root: Schema, path: string): string {
  const found = resolvePath(root, parsePath(path) ?? []);
  if (found === undefined || "unknown" in found) return "string";
  const { type, format } = found.schema;
  if (type === "string" && format === "date-time") return "date";
  return type === "integer" || type === "number" || type === "boolean" ? type : "string";
}

/** What is wrong with the columns of a version. */
export function checkColumns(definition: VersionDefinition, root: Schema): Problem[] {
  const columns = definition.columns ?? [];
  return columns.flatMap((column, index) => {
    const path = `columns[${index}]`;
    return [
      ...(column.name === "" ? [required(`${path}.name`)] : []),
      ...(columns.findIndex((other) => other.name === column.name) < index
        ? [duplicate(`${path}.name`, { value: column.name })]
        : []),
      ...(column.condition === undefined
        ? checkPath(`${path}.jsonPath`, column, root)
        : checkCondition(path, column, conditionTypes(definition.conditions))),
    ];
  });
}

function checkCondition(path: string, column: Column, conditions: readonly string[]): Problem[] {
  const isKnown = column.condition !== undefined && conditions.includes(column.condition);
  return [
    ...(isKnown ? [] : [invalid(`${path}.condition`, { value: column.condition }, "is not one of the conditions")]),
    ...(column.jsonPath === undefined
      ? []
      : [forbidden(`${path}.jsonPath`, "the condition says where the value stands")]),
  ];
}

function checkPath(path: string, column: Column, root: Schema): Problem[] {
  const { jsonPath: value } = column;
  if (value === undefined) return [required(path, "a column shows a jsonPath or a condition")];
  const steps = parsePath(value);
  if (steps === undefined) {
    return [invalid(path, { value }, "must be made of .name, ['name'], [0], [*] and [?(...)]")];
  }
  return resolvePath(root, steps) === undefined ? [invalid(path, { value }, "the schema has no such field")] : [];
}
