import { isList, isRecord } from "@homeostat/core";
import { builtInColumns, type ColumnDefinition, nameColumn } from "./columns.ts";
import { JsonPath } from "./json-path.ts";
import type { CellMaker } from "./table.ts";
import { nameOf, since, instantMs } from "./cell-text.ts";

/** An entry of `additionalPrinterColumns` of a CustomResourceDefinition. */
export interface CustomColumn {
  readonly name: string;
  readonly type: string;
  readonly jsonPath: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
}

const ageColumn: CustomColumn = {
  name: "Age",
  type: "date",
  jsonPath: ".metadata.creationTimestamp",
  description: builtInColumns("", "configmaps")?.find(({ name }) => name === "Age")?.description ?? "",
};

/** Returns the Table columns of a custom resource. Without `additionalPrinterColumns` it has name and age. */
export function customTable(columns: readonly CustomColumn[] = []): {
  readonly columns: readonly ColumnDefinition[];
  readonly cells: CellMaker;
} {
  const all = columns.length === 0 ? [ageColumn] : columns;
  const paths = all.map(({ type, jsonPath }) => ({ type, path: tryParse(jsonPath) }));
  return {
    columns: [
      nameColumn,
      ...all.map(({ name, type, jsonPath, format = "", description = "", priority = 0 }) => ({
        name,
        type,
        format,
        description:
          description === "" ? `Custom resource definition column (in JSONPath format): ${jsonPath}` : description,
        priority,
      })),
    ],
    cells: (object, nowMs) => [nameOf(object), ...paths.map(({ type, path }) => cell(path?.find(object), type, nowMs))],
  };
}

function tryParse(text: string): JsonPath | undefined {
  try {
    return JsonPath.parse(text);
  } catch {
    // The CustomResourceDefinition was accepted, so the column stays; its cells are empty.
    return undefined;
  }
}

function cell(found: readonly unknown[] | undefined, type: string, nowMs: number): unknown {
  if (found === undefined || found.length === 0) return null;
  const value = found[0];
  if (type === "string") return printed(value);
  if (value === null || value === undefined) return null;
  if (type === "integer") return typeof value === "number" ? Math.trunc(value) : null;
  if (type === "number") return typeof value === "number" ? value : null;
  if (type === "boolean") return typeof value === "boolean" ? value : null;
  if (type !== "date" || typeof value !== "string") return null;
  if (value === "") return "<unknown>";
  return instantMs(value) === undefined ? "<invalid>" : since(value, nowMs);
}

function printed(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (isList(value) || isRecord(value)) {
    return JSON.stringify(ordered(value)).replace(/[<>&\u2028\u2029]/g, escaped);
  }
  return typeof value === "string" ? value : JSON.stringify(value);
}

function escaped(sign: string): string {
  return `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

function ordered(value: unknown): unknown {
  if (isList(value)) return value.map(ordered);
  if (!isRecord(value)) return value;
  const keys = Object.keys(value).toSorted();
  return Object.fromEntries(keys.map((key) => [key, ordered(value[key])]));
}
