import type { DriftEntry, DriftView } from "../api/types.ts";
import type { ShownRead, ShownReconcile } from "./explanation.ts";
import { formatMs } from "./format.ts";

/** Returns reads as a sentence without the names of what was read: `get pods from the cache, 12 reads, 10 objects`. */
export function readText({ verb, resource, source, reads, objects, ms, failures }: ShownRead): string {
  const place = source === "live" ? `from the API server, ${formatMs(ms)}` : "from the cache";
  const count = reads === 1 ? "" : `, ${reads} reads`;
  const failed = failures === 0 ? "" : `, ${failures} failed`;
  return `${verb} ${resource} ${place}${count}, ${objects === 0 ? "nothing" : objects} found${failed}`;
}

/** Returns the names and selections of reads, and how many reads have others. */
export function readNames({ of, reads }: ShownRead): string {
  return of.length === 0 ? "" : `${of.join(", ")}${reads > of.length && of.length >= 8 ? " and others" : ""}`;
}

/** Returns the steps of a reconcile with their times; empty if there are none. */
export function stepsText({ steps }: Pick<ShownReconcile, "steps">): string {
  return steps.map(({ name, ms }) => `${name} ${formatMs(ms)}`).join(", ");
}

/** Returns what was changed by whom, for a row of the drift log: `spec.replicas changed by kubectl-scale`. */
export function driftText({ fields, managers, wasDeleted }: Pick<DriftEntry, "fields" | "managers" | "wasDeleted">): {
  readonly change: string;
  readonly by: string;
} {
  return {
    change: wasDeleted ? "deleted" : fields.join(", "),
    by: managers.length === 0 ? "another client" : managers.join(", "),
  };
}

/** Returns the reason why a drift log is empty. */
export function noDriftText({ hasHistory }: Pick<DriftView, "hasHistory">): string {
  return hasHistory
    ? "The operator has corrected no drift since it started."
    : "No operator process has reconciled this object since it started.";
}
