// Comparison of a run with the recorded one.

import type { Goal } from "../harness/goals.ts";
import { goalsOf, type ProxyResults } from "./goals.ts";

/** Part by which a value may be worse than the recorded one. */
const tolerance = 0.1;

/** Returns the measured values in the table of goals of a page, by item. */
export function recordedValues(page: string): ReadonlyMap<string, number> {
  const values = new Map<string, number>();
  for (const line of page.split("\n")) {
    const cells = line.split("|").map((cell) => cell.trim());
    // | goal | must | stretch | measured | reached |
    if (cells.length !== 7 || !/^-?\d/.test(cells[4] ?? "")) continue;
    values.set(cells[1] ?? "", Number.parseFloat(cells[4] ?? ""));
  }
  return values;
}

/**
 * Returns a line for each value that is worse than the recorded one by more than 10 %. Latencies are left out: on a busy machine their ratios
 * differ by more from one run to the next. Percentages are differences already, and have their own limits.
 */
export function regressions(results: ProxyResults, recorded: ReadonlyMap<string, number>): readonly string[] {
  return goalsOf(results).flatMap(({ item, unit, better, value }: Goal) => {
    const before = recorded.get(item);
    if (value === undefined || before === undefined || unit === "%" || item.includes("p50")) return [];
    const limit = better === "larger" ? before * (1 - tolerance) : before * (1 + tolerance);
    if (better === "larger" ? value >= limit : value <= limit) return [];
    return [`${item}: ${value.toFixed(2)}, recorded ${before}`];
  });
}
