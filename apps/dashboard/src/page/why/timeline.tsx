import type { JSX } from "preact";
import { formatMs, formatUntil } from "../../present/format.ts";
import type { ShownExplanation, ShownRead, ShownReconcile, ShownWrite } from "../../present/explanation.ts";
import { readNames, readText, stepsText } from "../../present/reconcile-text.ts";
import { Age } from "../common/parts.tsx";
import { DriftLog } from "./drift-log.tsx";

/** Meanings of the results of a reconcile. */
const resultTexts: Readonly<Record<string, string>> = {
  done: "Succeeded",
  later: "Succeeded, requeued",
  again: "Retried after a version conflict",
  "broken-off": "Aborted: leadership ended or the program stopped",
  failed: "Failed, retried",
  terminal: "Failed, not retried until something changes",
  stuck: "Still running after its signal was aborted",
};

const failures = ["failed", "terminal", "stuck"];

/** The state of an object in the queue of a controller, and its last reconciles, the newest first. */
export function Timeline({
  explanation,
  now,
}: {
  readonly explanation: ShownExplanation;
  readonly now: number;
}): JSX.Element {
  return (
    <>
      <p>{stateText(explanation, now)}</p>
      <ol class="timeline">
        {explanation.reconciles.map((reconcile) => (
          <li key={reconcile.id} class={failures.includes(reconcile.result) ? "problem" : ""}>
            <Reconcile reconcile={reconcile} now={now} />
          </li>
        ))}
      </ol>
      <h3>Corrected drift</h3>
      <DriftLog entries={explanation.drifts} none="The operator has corrected no drift since it started." now={now} />
    </>
  );
}

function stateText({ state, at, attempt, reasons, held, heldUntil }: ShownExplanation, now: number): string {
  const because = reasons.length === 0 ? "" : ` Triggered by: ${reasons.join(", ")}.`;
  const hold =
    held === "terminal"
      ? " Held after a terminal error until the spec changes."
      : held === "hot-loop"
        ? ` Held because of a hot loop${heldUntil === "" ? "" : `, ends ${formatUntil(heldUntil, now)}`}.`
        : "";
  switch (state) {
    case "running":
      return `A reconcile is running, attempt ${attempt}.${because}${hold}`;
    case "waiting":
      return `Waiting for a worker, attempt ${attempt}.${because}${hold}`;
    case "delayed":
      return `Next reconcile ${formatUntil(at, now)}, attempt ${attempt}.${because}${hold}`;
    case "":
      return "This process does not lead, so it does not reconcile.";
    default:
      return `Waiting for a change.${hold}`;
  }
}

function Reconcile({ reconcile, now }: { readonly reconcile: ShownReconcile; readonly now: number }): JSX.Element {
  const { why, result, attempt, waitedMs, durationMs, events, error, nextReconcileAt } = reconcile;
  const { reads, readsOmitted, decisions, writes, writesOmitted } = reconcile;
  return (
    <>
      <p>
        <strong>{resultTexts[result] ?? result}</strong> <Age time={reconcile.startedAt} now={now} /> ago, took{" "}
        {formatMs(durationMs)}, waited {formatMs(waitedMs)}
        {attempt > 1 ? `, attempt ${attempt}` : ""}
        {nextReconcileAt === "" ? "" : `, next ${formatUntil(nextReconcileAt, now)}`}
      </p>
      <p>Triggered by: {why.join(", ") || "unknown"}</p>
      {error === "" ? undefined : <p class="note problem">{error}</p>}
      {reads.length === 0 ? undefined : <Reads reads={reads} omitted={readsOmitted} />}
      {decisions.length === 0 ? undefined : (
        <ul class="decisions" aria-label="Decisions">
          {decisions.map((decision) => (
            <li key={decision.about}>
              Decided {decision.about}: {decision.result}
            </li>
          ))}
        </ul>
      )}
      {writes.length === 0 ? undefined : (
        <ul class="writes">
          {writes.map((write, index) => (
            <Write key={index} write={write} />
          ))}
        </ul>
      )}
      {writesOmitted === 0 ? undefined : <p>{writesOmitted} more writes were not recorded.</p>}
      {reconcile.steps.length === 0 ? undefined : <p>Steps: {stepsText(reconcile)}</p>}
      {events.length === 0 ? undefined : <p>Events: {events.join(", ")}</p>}
      <p class="id">Reconcile ID {reconcile.id}</p>
    </>
  );
}

function Reads({ reads, omitted }: { readonly reads: readonly ShownRead[]; readonly omitted: number }): JSX.Element {
  const count = reads.reduce((sum, read) => sum + read.reads, omitted);
  const live = reads.filter(({ source }) => source === "live").reduce((sum, read) => sum + read.reads, 0);
  return (
    <details class="reads">
      <summary>
        Read {count} {count === 1 ? "time" : "times"}
        {live === 0 ? ", all from the cache" : `, ${live} by requests`}
      </summary>
      <ul class="writes">
        {reads.map((read) => (
          <li key={`${read.verb} ${read.resource} ${read.source}`}>
            {readText(read)} <code>{readNames(read)}</code>
          </li>
        ))}
      </ul>
      {omitted === 0 ? undefined : <p>{omitted} reads of other kinds are not listed.</p>}
    </details>
  );
}

function Write({ write }: { readonly write: ShownWrite }): JSX.Element {
  const { verb, resource, key, result, fields, ms, error } = write;
  return (
    <li class={result}>
      {verb} {resource} {key}: {result}
      {result === "skipped" ? "" : `, ${formatMs(ms)}`}
      {fields.length === 0 ? undefined : (
        <>
          {" "}
          <code>{fields.join(", ")}</code>
        </>
      )}
      {error === "" ? "" : ` ${error}`}
    </li>
  );
}
