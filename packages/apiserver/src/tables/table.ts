import type { JsonRecord } from "@homeostat/core";
import type { ColumnDefinition } from "./columns.ts";
import { valueAt } from "../values/fields.ts";

/** Returns the cells of one object, in the order of its columns. */
export type CellMaker = (object: unknown, nowMs: number) => unknown[];

/** The part of each object that a Table contains: `includeObject` of the request. */
export type IncludeObject = "Metadata" | "None" | "Object";

/** Columns and rows of a resource's Table. */
export interface TableForm {
  readonly columns: readonly ColumnDefinition[];
  readonly cells: CellMaker;
  /** Returns the conditions of a row, such as `Completed` for a pod that has ended. */
  readonly conditions?: (object: unknown) => unknown[] | undefined;
  /** Compares objects to order the rows. Default: the order of the list. */
  readonly order?: (a: unknown, b: unknown) => number;
}

/** One row of a Table. */
export interface TableRow {
  readonly cells: readonly unknown[];
  readonly conditions?: readonly unknown[];
  readonly object?: unknown;
}

/** A `Table` of `meta.k8s.io/v1`. */
export interface Table {
  readonly kind: "Table";
  readonly apiVersion: "meta.k8s.io/v1";
  readonly metadata: JsonRecord;
  readonly columnDefinitions: readonly ColumnDefinition[] | null;
  readonly rows: readonly TableRow[];
}

/** Options of {@link makeTable}. */
export interface TableOptions {
  readonly nowMs: number;
  readonly includeObject?: IncludeObject;
  /** True to omit the column definitions, as in all but the first event of a watch. */
  readonly noHeaders?: boolean;
}

/**
 * Builds the Table of some objects. `metadata` is that of the list, or of the single object.
 *
 * Ages are relative to `nowMs`.
 */
export function makeTable(
  form: TableForm,
  metadata: unknown,
  objects: readonly unknown[],
  { nowMs, includeObject = "Metadata", noHeaders = false }: TableOptions,
): Table {
  return {
    kind: "Table",
    apiVersion: "meta.k8s.io/v1",
    metadata: listMetadata(metadata),
    columnDefinitions: noHeaders ? null : form.columns,
    rows: (form.order === undefined ? objects : objects.toSorted(form.order)).map((object) => {
      const conditions = form.conditions?.(object);
      const carried = carriedObject(object, includeObject);
      return {
        cells: form.cells(object, nowMs),
        ...(conditions === undefined ? {} : { conditions }),
        ...(carried === undefined ? { object: null } : { object: carried }),
      };
    }),
  };
}

function listMetadata(metadata: unknown): JsonRecord {
  const kept: JsonRecord = {};
  for (const field of ["resourceVersion", "continue", "remainingItemCount"]) {
    const value = valueAt(metadata, field);
    if (value !== undefined && value !== "") kept[field] = value;
  }
  return kept;
}

function carriedObject(object: unknown, include: IncludeObject): unknown {
  if (include === "None") return undefined;
  return include === "Object" ? object : partialMetadata(object);
}

/** Returns only the metadata of an object, as `PartialObjectMetadata` of `meta.k8s.io/v1`. */
export function partialMetadata(object: unknown): {
  readonly kind: "PartialObjectMetadata";
  readonly apiVersion: "meta.k8s.io/v1";
  readonly metadata: unknown;
} {
  return { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata: valueAt(object, "metadata") ?? {} };
}
