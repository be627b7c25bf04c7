import type { EventRecord } from "../events/make-event.ts";
import type { WriteReport } from "../writes/run-scope.ts";

/** Returns the event that tells people of a report. It names fields and field managers, never values. */
export function eventOf(report: WriteReport): Pick<EventRecord, "type" | "reason" | "note"> {
  if (report.type === "drift") return { type: "Normal", reason: "DriftCorrected", note: driftNote(report) };
  return { type: "Warning", ...warningOf(report) };
}

function driftNote({ object, drift: { fields, managers, wasDeleted } }: WriteReport & { type: "drift" }): string {
  if (wasDeleted) return `Created ${object} again: it was deleted by another client`;
  const by = managers.length === 0 ? "another client" : managers.join(", ");
  return `Corrected drift of ${object}: ${fields.join(", ")} changed by ${by}`;
}

function warningOf(report: Exclude<WriteReport, { type: "drift" }>): {
  readonly reason: string;
  readonly note: string;
} {
  if (report.type === "undeclared-kind") {
    const note = `An earlier version managed objects of kind ${report.kind}, and this one does not declare the kind. Declare it with managed(..., { retired: true }) to have them deleted.`;
    return { reason: "UndeclaredKind", note };
  }
  if (report.type === "conflict") {
    const fields = report.conflicts.map(({ field, manager = "somebody else" }) => `${field} (set by ${manager})`);
    const outcome = report.wasTaken ? "They were set anew; leave them to one of the two." : "It was left as it is.";
    const note = `${report.object} has fields that somebody else has set to other values: ${fields.join(", ")}. ${outcome}`;
    return { reason: report.wasTaken ? "FieldsTaken" : "FieldConflict", note };
  }
  const { target, fields, others, repeats, holdMs, type } = report.loop;
  const what = fields.length === 0 ? "" : ` of ${fields.join(", ")}`;
  const who = others.length === 0 ? "" : ` ${others.join(", ")} sets it back.`;
  const how = type === "churn" ? "Ever new values" : "The same values";
  const note = `${how}${what} have been written ${repeats} times: ${target}.${who} The object is left alone for ${Math.ceil(holdMs / 1000)} s.`;
  return { reason: "HotLoop", note };
}
