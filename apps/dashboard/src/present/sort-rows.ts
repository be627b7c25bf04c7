import type { OverviewRow, State } from "../api/types.ts";

/** States in the order of the overview: problems first. */
export const stateOrder: readonly State[] = ["problem", "progressing", "unknown", "ready", "finished"];

/** Selection of rows. Empty texts select everything. */
export interface RowFilter {
  /** Words that the kind, namespace, name, state or message must contain. */
  readonly text: string;
  readonly state: State | "";
  readonly kind: string;
}

/** Returns the selected rows: by state, problems first, then the latest change first. */
export function selectRows(rows: Iterable<OverviewRow>, filter: RowFilter): OverviewRow[] {
  const words = filter.text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  const isSelected = (row: OverviewRow): boolean =>
    (filter.state === "" || row.state === filter.state) &&
    (filter.kind === "" || kindOf(row) === filter.kind) &&
    (words.length === 0 || containsAll(row, words));
  return [...rows].filter(isSelected).sort(compareRows);
}

/** Returns the text by which a kind is selected. */
export function kindOf({ kind, group }: Pick<OverviewRow, "kind" | "group">): string {
  return `${kind}.${group}`;
}

/** Returns the number of rows of each state. */
export function countStates(rows: Iterable<OverviewRow>): Record<State, number> {
  const counts: Record<State, number> = { problem: 0, progressing: 0, unknown: 0, ready: 0, finished: 0 };
  for (const { state } of rows) counts[state] += 1;
  return counts;
}

function containsAll(row: OverviewRow, words: readonly string[]): boolean {
  const text = `${row.kind} ${row.namespace ?? ""} ${row.name} ${row.word} ${row.message}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

function compareRows(one: OverviewRow, other: OverviewRow): number {
  const byState = stateOrder.indexOf(one.state) - stateOrder.indexOf(other.state);
  if (byState !== 0) return byState;
  const byChange = (other.lastChange?.at ?? other.createdAt).localeCompare(one.lastChange?.at ?? one.createdAt);
  return byChange === 0 ? one.name.localeCompare(other.name) : byChange;
}
