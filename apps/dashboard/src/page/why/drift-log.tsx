import type { JSX } from "preact";
import type { DriftEntry } from "../../api/types.ts";
import { driftText } from "../../present/reconcile-text.ts";
import { Age, DataTable } from "../common/parts.tsx";

/** The drift that an operator has corrected, the newest first. */
export function DriftLog({
  entries,
  none,
  now,
}: {
  readonly entries: readonly Omit<DriftEntry, "controller">[];
  /** Sentence for an empty log. */
  readonly none: string;
  readonly now: number;
}): JSX.Element {
  if (entries.length === 0) return <p class="empty">{none}</p>;
  return (
    <DataTable label="Drift log" columns={["Age", "Object", "Reverted", "Changed by"]}>
      {entries.map((entry) => {
        const { change, by } = driftText(entry);
        return (
          <tr key={`${entry.reconcileId} ${entry.object} ${change}`}>
            <td>
              <Age time={entry.at} now={now} />
            </td>
            <td>{entry.object}</td>
            <td>{entry.wasDeleted ? "the object was deleted" : <code>{change}</code>}</td>
            <td>{by}</td>
          </tr>
        );
      })}
    </DataTable>
  );
}
