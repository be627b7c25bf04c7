import type { EventRecord } from "../events/make-event.ts";
import type { WriteReport } from "../writes/reconcile-scope.ts";

/** Returns the event for a report. It contains field names and field managers but no values, which may be secret. */
export function eventOf(report: WriteReport): Pick<EventRecord, "type" | "reason" | "note"> {
  if (report.type === "drift") return { type: "Normal", reason: "DriftCorrected", note: driftNote(report) };
  return { type: "Warning", ...warningOf(report) };
}

function driftNote({ object, drift: { fields, managers, wasDeleted } }: WriteReport & { type: "drift" }): string {
  if (wasDeleted) return `Recreated ${object}: it was deleted by another client`;
  const by = managers.length === 0 ? "another client" : managers.join(", ");
  return `Corrected drift of ${object}: ${fields.join(", ")} changed by ${by}`;
}

function warningOf(report: Exclude<WriteReport, { type: "drift" }>): {
  readonly reason: string;
  readonly note: string;
} {
  if (report.type === "undeclared-kind") {
    const note = `Objects of kind ${report.kind} were managed by an earlier version, but this version does not declare the kind. Declare it with managed(..., { retired: true }) to delete them.`;
    return { reason: "UndeclaredKind", note };
  }
  if (report.type === "conflict") {
    const fields = report.conflicts.map(({ field, manager = "unknown manager" }) => `${field} (${manager})`);
    const outcome = report.wasTaken
      ? "The fields were overwritten; only one manager should set them."
      : "The object was not changed.";
    const note = `${report.object} has fields set to different values by other field managers: ${fields.join(", ")}. ${outcome}`;
    return { reason: report.wasTaken ? "FieldsTaken" : "FieldConflict", note };
  }
  const { target, fields, others, repeats, holdMs, type } = report.loop;
  const what = fields.length === 0 ? "" : ` (${fields.join(", ")})`;
  const reverted = others.length === 0 ? "" : ` ${others.join(", ")} reverts the change.`;
  const values = type === "churn" ? "changing values" : "the same values";
  const note = `Repeated ${target} ${repeats} times with ${values}${what}.${reverted} The next reconcile is delayed by ${Math.ceil(holdMs / 1000)} s.`;
  return { reason: "HotLoop", note };
}
