import type { WriteReport } from "../writes/run-scope.ts";

/** What to tell people of a report, as an event about the object. Names fields and managers, never values. */
export function warningOf(report: WriteReport): { readonly reason: string; readonly note: string } {
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
