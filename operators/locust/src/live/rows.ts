import type { Snapshot, SnapshotRow } from "./live-stats.ts";

/** What Locust calls the row of all requests together. */
export const totalName = "Aggregated";

/** The row of all requests together. A request of that name is another row: it has a method. */
export function totalOf({ rows }: Pick<Snapshot, "rows">): SnapshotRow | undefined {
  return rows.findLast(({ name, method }) => name === totalName && method === "");
}
