// The size limit of route tables.

import { utf8Length } from "@homeostat/core";
import type { TablePort } from "@homeostat/routing";
import { tableBytesMax } from "../api/route-table.ts";
import type { EntryOrigin } from "./entries.ts";
import { compareText } from "./keys.ts";
import { viewKey } from "./views.ts";

/** Limits of a table. */
export interface TableLimits {
  readonly bytesMax: number;
  readonly entriesMax: number;
}

/** The limits of the RouteTable kind. */
export const tableLimits: TableLimits = { bytesMax: tableBytesMax, entriesMax: 5000 };

/** A group that is omitted from a table because the table would be too large. */
export interface RefusedGroup {
  /** Key of the group. */
  readonly group: string;
  /** Bytes of its entries. */
  readonly bytes: number;
}

/** An entry and its JSON. */
export interface SizedEntry extends EntryOrigin {
  readonly json: string;
}

/** The entries that fit. */
export interface FittedTable {
  readonly kept: readonly SizedEntry[];
  /** Omitted groups, largest first. */
  readonly refusedGroups: readonly RefusedGroup[];
  /** True if the table is too large even without groups. */
  readonly isRefused: boolean;
}

/**
 * Omits groups, the largest first, until the entries fit.
 *
 * A group can add many large entries: 64 explicit routes with 16 headers each. Without this rule, it would block changes of all
 * other sandboxes of the Service.
 */
export function fitTable(
  origins: readonly EntryOrigin[],
  ports: readonly TablePort[],
  { bytesMax, entriesMax }: TableLimits,
): FittedTable {
  const sized = origins.map((origin) => ({ ...origin, json: JSON.stringify(origin.entry) }));
  let bytes = sized.reduce((sum, { json }) => sum + bytesOf(json), utf8Length(JSON.stringify(ports)));
  let count = sized.length;
  const fits = (): boolean => bytes <= bytesMax && count <= entriesMax;
  if (fits()) return { kept: sized, refusedGroups: [], isRefused: false };

  const refusedGroups: RefusedGroup[] = [];
  for (const [group, sum] of largestFirst(sized)) {
    refusedGroups.push({ group, bytes: sum.bytes });
    bytes -= sum.bytes;
    count -= sum.count;
    if (fits()) break;
  }
  const refused = new Set(refusedGroups.map(({ group }) => group));
  const kept = sized.filter(({ group }) => group === undefined || !refused.has(viewKey(group)));
  return { kept, refusedGroups, isRefused: !fits() };
}

interface Sum {
  readonly bytes: number;
  readonly count: number;
}

function largestFirst(sized: readonly SizedEntry[]): readonly (readonly [group: string, sum: Sum])[] {
  const sums = new Map<string, Sum>();
  for (const { group, json } of sized) {
    if (group === undefined) continue;
    const { bytes, count } = sums.get(viewKey(group)) ?? { bytes: 0, count: 0 };
    sums.set(viewKey(group), { bytes: bytes + bytesOf(json), count: count + 1 });
  }
  return [...sums].sort(([a, x], [b, y]) => y.bytes - x.bytes || compareText(a, b));
}

/** Returns the bytes of an entry in a table, with its comma. */
function bytesOf(json: string): number {
  return utf8Length(json) + 1;
}
