import type { WhyView } from "../api/types.ts";
import { readController, readExplanation, readInformer, type ShownReconcile } from "../present/explanation.ts";
import { formatBytes, formatMs, formatUntil } from "../present/format.ts";
import { readNames, readText } from "../present/reconcile-text.ts";
import { objectPath } from "../present/routes.ts";
import { html, type Html, joined } from "./html.ts";
import { driftTable } from "./plain-drift.ts";
import { age, link, section, table, text } from "./parts.ts";

/** Returns the last reconciles of an object, and the state of all operator processes. */
export function plainWhy({ ref, histories, processes }: WhyView, nowMs: number): Html {
  return joined([
    ref === undefined ? html`` : html`<p>${link(objectPath("resource", ref), `${ref.kind} ${ref.name}`)}</p>`,
    ...histories.map(({ process, controller, explanation }) =>
      section(`Controller ${controller} in ${process}`, history(explanation, nowMs)),
    ),
    ...processes.map(({ name, problem, isLeading, controllers, informers }) =>
      section(
        `Process ${name}`,
        joined([
          problem === undefined ? html`` : html`<p class="note problem">${problem}</p>`,
          isLeading === undefined ? html`` : html`<p>${isLeading ? "Leader" : "Not the leader"}</p>`,
          controllerTable(controllers),
          informerTable(informers, nowMs),
        ]),
      ),
    ),
    processes.length === 0 ? html`<p class="empty">No operator process was found.</p>` : html``,
  ]);
}

function history(value: unknown, nowMs: number): Html {
  const { state, held, heldUntil, reconciles, drifts } = readExplanation(value);
  const hold = held === "" ? "" : `. Held because of ${held}, ends ${formatUntil(heldUntil, nowMs)}`;
  return joined([
    html`<p>${state === "" ? "The controller does not lead." : `Now ${state}${hold}.`}</p>`,
    table({
      label: "Reconciles",
      columns: ["Age", "Trigger", "Result", "Duration", "Reads", "Decisions", "Writes", "Next"],
      rows: reconciles.map((reconcile) => [
        age(reconcile.startedAt, nowMs),
        text(reconcile.why.join(", ")),
        text([reconcile.result, reconcile.error].filter((part) => part !== "").join(": ")),
        text(formatMs(reconcile.durationMs)),
        text(reconcile.reads.map((read) => `${readText(read)} (${readNames(read)})`).join("; ")),
        text(reconcile.decisions.map(({ about, result }) => `${about}: ${result}`).join("; ")),
        text(writesOf(reconcile)),
        text(formatUntil(reconcile.nextReconcileAt, nowMs)),
      ]),
      none: "No reconcile is recorded since the process started.",
    }),
    html`<h3>Corrected drift</h3>`,
    driftTable(drifts, "The operator has corrected no drift since it started.", nowMs),
  ]);
}

function writesOf({ writes, writesOmitted }: ShownReconcile): string {
  const shown = writes.map(
    ({ verb, resource, key, result, ms }) => `${verb} ${resource} ${key}: ${result}, ${formatMs(ms)}`,
  );
  return [...shown, ...(writesOmitted === 0 ? [] : [`${writesOmitted} more`])].join("; ");
}

function controllerTable(controllers: readonly unknown[]): Html {
  return table({
    label: "Controllers",
    columns: ["Controller", "Kind", "State", "Waiting", "Delayed", "Running"],
    rows: controllers
      .map(readController)
      .map(({ name, resource, state, waiting, delayed, running }) =>
        [name, resource, state, waiting, delayed, running].map(text),
      ),
    none: "The process runs no controllers.",
  });
}

function informerTable(informers: readonly unknown[], nowMs: number): Html {
  return table({
    label: "Watches",
    columns: ["Kind", "Objects", "Size", "State", "Last data", "Error"],
    rows: informers
      .map(readInformer)
      .map(({ name, objects, bytes, state, lastByteAt, error }) => [
        ...[name, objects, formatBytes(bytes), state].map(text),
        age(lastByteAt, nowMs),
        text(error),
      ]),
    none: "The process watches nothing.",
  });
}
