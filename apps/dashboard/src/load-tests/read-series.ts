// Points of a run from the sources that have them. Other versions of the operator may send other columns, so values are found by their names.

import { isList, isRecord, ownValue } from "@homeostat/core";
import { type LoadPoint, pointColumns } from "../api/load-tests.ts";
import { listIn, numberIn, textIn } from "../health/fields.ts";

/** Returns the points of a run in a response of the operator's page `/load-tests`; undefined if the operator does not know the run. */
export function pointsInResponse(
  value: unknown,
  { uid, run }: { readonly uid: string; readonly run: number },
): LoadPoint[] | undefined {
  const found = listIn(value, "runs").find((one) => textIn(one, "uid") === uid && numberIn(one, "run") === run);
  if (found === undefined) return undefined;
  const columns = listIn(value, "columns");
  const rows = isRecord(found) ? ownValue(found, "points") : undefined;
  return isList(rows) ? toPoints(columns, rows.filter(isList)) : [];
}

/** Returns the points in the file `series.csv` of stored results. Lines that are no points are skipped. */
export function pointsInCsv(text: string): LoadPoint[] {
  const [head = "", ...lines] = text.split("\n");
  const columns = head.trim().split(",");
  const atColumn = columns.indexOf("at");
  return toPoints(
    columns,
    lines.map((line) =>
      line
        .trim()
        .split(",")
        .map((cell, index) => (index === atColumn ? Date.parse(cell) : cell === "" ? null : Number(cell))),
    ),
  );
}

function toPoints(columns: readonly unknown[], rows: readonly (readonly unknown[])[]): LoadPoint[] {
  const positions = pointColumns.map((column) => columns.indexOf(column));
  return rows.flatMap((row) => {
    const values = positions.map((position) => numberOf(row[position]));
    return values[0] === null ? [] : [values];
  });
}

function numberOf(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}
