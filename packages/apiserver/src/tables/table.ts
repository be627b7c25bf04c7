import type { JsonRecord } from "@homeostat/core";
import type { ColumnDefinition } from "./columns.ts";
import { valueAt } from "../values/fields.ts";

/** Returns the cells of one object, in the order of its columns. */
export type CellMaker = (object: unknown, nowMs: number) => unknown[];

/** How much of each object a table carries. */
export type IncludeObject = "Metadata" | "None" | "Object";

/** How a resource is shown as a table. */
export interface TableForm {
  readonly columns: readonly ColumnDefinition[];
  readonly cells: CellMaker;
  /** What a row says beside its cells, such as that a pod has ended. */
  readonly conditions?: (object: unknown) => unknown[] | undefined;
  /** In which order the rows stand, where it is not that of the list. */
  readonly order?: (a: unknown, b: unknown) => number;
}

/** One row. */
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

/** What a table is made with. */
export interface TableOptions {
  readonly nowMs: number;
  readonly includeObject?: IncludeObject;
  /** Whether columns are left away, as in all but the first event of a watch. */
  readonly noHeaders?: boolean;
}

/**
 * The table of some objects; `metadata` is that of the list, or of the one object.
 *
 * Ages are those at `nowMs`.
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

/** The metadata of an object alone, as `PartialObjectMetadata` of `meta.k8s.io/v1`. */
export function partialMetadata(object: unknown): {
  readonly kind: "PartialObjectMetadata";
  readonly apiVersion: "meta.k8s.io/v1";
  readonly metadata: unknown;
} {
  return { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata: valueAt(object, "metadata") ?? {} };
}
