import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The wall time in seconds that each test file of e2e may take on two quiet cores, by source file. */
export type Budgets = Readonly<Record<string, number>>;

/** Reads `e2e/budgets.json`. */
export function readBudgets(root: string): Budgets {
  const parsed: unknown = JSON.parse(readFileSync(join(root, "e2e/budgets.json"), "utf8"));
  const entries = typeof parsed === "object" && parsed !== null ? Object.entries(parsed) : [];
  return Object.fromEntries(entries.map(([file, seconds]) => [`e2e/src/${file}`, Number(seconds)]));
}

/**
 * Sorts compiled test files by their budgets, the longest first; those without a budget follow in their order.
 *
 * A long file that starts last runs alone while the other jobs have nothing left to do.
 */
export function longestFirst(compiled: readonly string[], budgets: Budgets): string[] {
  const budgetOf = (file: string): number => budgets[file.replace("/dist/", "/src/").replace(/\.js$/, ".ts")] ?? 0;
  return compiled.toSorted((a, b) => budgetOf(b) - budgetOf(a));
}
