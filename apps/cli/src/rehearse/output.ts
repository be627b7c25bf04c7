// The output of a rehearsal, as text for people and as JSON for machines.

import { formatElapsedMs } from "@homeostat/core";
import type { TimelineEntry } from "@homeostat/operator";
import type { Refusal } from "./apply-manifests.ts";
import type { RehearsalResult } from "./run-rehearsal.ts";

const timeWidth = 9;
const topicWidth = 11;
const indent = " ".repeat(timeWidth + topicWidth);

/**
 * Turns entries into lines as they arrive.
 *
 * Objects that are created at the same time share a line, so the last lines are known only after `end`.
 */
export class TimelineText {
  readonly #print: (line: string) => void;
  #created: { readonly atMs: number; readonly names: Map<string, string[]> } | undefined;

  constructor(print: (line: string) => void) {
    this.#print = print;
  }

  add(entry: TimelineEntry): void {
    const { atMs, topic, text, details = [], data } = entry;
    const kind = data?.["kind"];
    if (topic === "create" && typeof kind === "string") return this.#collect(atMs, kind, String(data?.["name"]));
    this.end();
    this.#print(lineOf(atMs, topic, text));
    for (const detail of details) this.#print(`${indent}  ${detail}`);
  }

  /** Prints what is left. */
  end(): void {
    const created = this.#created;
    this.#created = undefined;
    if (created === undefined) return;
    for (const [kind, names] of created.names)
      this.#print(lineOf(created.atMs, "create", `${kind} ${names.join(", ")}`));
  }

  #collect(atMs: number, kind: string, name: string): void {
    if (this.#created !== undefined && formatElapsedMs(this.#created.atMs) !== formatElapsedMs(atMs)) this.end();
    this.#created ??= { atMs, names: new Map() };
    const { names } = this.#created;
    names.set(kind, [...(names.get(kind) ?? []), name]);
  }
}

function lineOf(atMs: number, topic: string, text: string): string {
  return `${`+${formatElapsedMs(atMs)}`.padEnd(timeWidth)}${topic.padEnd(topicWidth)}${text}`;
}

/** Returns the exit code of a verdict. */
export function exitCodeOfVerdict(verdict: RehearsalResult["verdict"]): 0 | 1 | 130 {
  if (verdict === "interrupted") return 130;
  return verdict === "finished" ? 0 : 1;
}

/** Returns the summary and the verdict. */
export function resultLines({ verdict, durationMs, reasons, refusals, summary }: RehearsalResult): readonly string[] {
  const hasEnded = verdict !== "refused" && verdict !== "interrupted";
  const rows = !hasEnded ? [] : [{ name: "duration", text: formatElapsedMs(durationMs) }, ...summary];
  const width = Math.max(0, ...rows.map(({ name }) => name.length)) + 2;
  return [
    ...rows.map(({ name, text }) => `${name.padEnd(width)}${text}`),
    ...(rows.length === 0 ? [] : [""]),
    ...refusals.map((refusal) => `  ${describeRefusal(refusal)}`),
    ...reasons.map((reason) => `  ${reason}`),
    verdictLine({ verdict, durationMs, refusals }),
  ];
}

function describeRefusal({ source, field, message }: Refusal): string {
  return `${source}: ${field === "" ? "" : `${field}: `}${message}`;
}

function verdictLine({
  verdict,
  durationMs,
  refusals,
}: Pick<RehearsalResult, "verdict" | "durationMs" | "refusals">): string {
  const time = formatElapsedMs(durationMs);
  switch (verdict) {
    case "finished":
      return `Finished: the change is complete after ${time}.`;
    case "refused":
      return `Refused: the API server rejects the manifests because of ${refusals.length === 1 ? "1 problem" : `${refusals.length} problems`}.`;
    case "failed":
      return `Failed: the operator reports an error that only a user can correct.`;
    case "blocked":
      return `Blocked: after ${time} the change waits for a user, for the reasons above.`;
    case "unfinished":
      return `Not finished: the change waits after ${time}, for the reasons above. Allow more time with --for.`;
    case "interrupted":
      return "Interrupted.";
  }
}

/** The input of a rehearsal. */
export interface RehearsalInput {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly old: string | undefined;
  readonly new: string;
  /** Time at which the rehearsal started, as RFC 3339. */
  readonly startedAt: string;
}

/** Returns the whole rehearsal as JSON. */
export function rehearsalJson(
  input: RehearsalInput,
  notes: readonly string[],
  timeline: readonly TimelineEntry[],
  result: RehearsalResult,
): string {
  const { verdict, durationMs, reasons, refusals, summary } = result;
  const value = {
    ...input,
    notes,
    timeline: timeline.map(({ atMs, topic, text, details, data }) => ({
      atSeconds: atMs / 1_000,
      topic,
      text,
      ...(details !== undefined && details.length > 0 && { details }),
      ...(data !== undefined && { data }),
    })),
    summary: summary.map(({ name, text, value: number }) => ({
      name,
      text,
      ...(number !== undefined && { value: number }),
    })),
    refusals,
    reasons,
    verdict,
    durationSeconds: durationMs / 1_000,
    exitCode: exitCodeOfVerdict(verdict),
  };
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
