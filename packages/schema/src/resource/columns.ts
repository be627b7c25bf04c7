import { duplicate, forbidden, invalid, required, type Problem } from "../problem/problem.ts";
import type { Schema } from "../structural/schema.ts";
import { conditionTypes } from "./conditions.ts";
import type { Column, VersionDefinition } from "./definition.ts";
import { parsePath, resolvePath } from "./path.ts";

/** A printer column in the form of the CRD manifest (`additionalPrinterColumns`). */
export interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
  readonly jsonPath: string;
}

/** Returns the printer columns of a version. A column without a type gets the type of its field in the schema. */
export function printerColumns(definition: VersionDefinition, root: Schema): PrinterColumn[] {
  return (definition.columns ?? []).map((column) => {
    const jsonPath = pathOf(column);
    return {
      name: column.name,
      type: column.type ?? inferType(root, jsonPath),
      ...(column.format !== undefined && { format: column.format }),
      ...(column.description !== undefined && { description: column.description }),
      // The API server omits a priority of 0. Omitting it here keeps the manifest equal to the stored object.
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

/** Checks the columns of a version: names, paths and conditions. */
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
    ...(isKnown
      ? []
      : [invalid(`${path}.condition`, { value: column.condition }, "must be one of the conditions of this version")]),
    ...(column.jsonPath === undefined
      ? []
      : [forbidden(`${path}.jsonPath`, "must not be set together with condition")]),
  ];
}

function checkPath(path: string, column: Column, root: Schema): Problem[] {
  const { jsonPath: value } = column;
  if (value === undefined) return [required(path, "set jsonPath or condition")];
  const steps = parsePath(value);
  if (steps === undefined) {
    return [invalid(path, { value }, "must consist of .name, ['name'], [0], [*] and [?(...)]")];
  }
  return resolvePath(root, steps) === undefined ? [invalid(path, { value }, "the schema has no such field")] : [];
}
