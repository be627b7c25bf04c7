// The page that shows the results.

import { machineNote, type RecordedMachine, recordedPage } from "../harness/recorded-page.ts";
import type { ProxyResults } from "./goals.ts";
import { formatResults } from "./report.ts";

const page = recordedPage("docs/reference/proxy-performance.md", "npm run bench -- proxy --record");

/** A run with its circumstances. */
export interface RecordedRun extends RecordedMachine {
  readonly results: ProxyResults;
}

/** Returns the text of the page. */
export function readPage(): string {
  return page.read();
}

/** Writes a run to the page. */
export function saveRun(run: RecordedRun): void {
  page.save(generated(run));
}

/** Replaces the generated part of the page. */
export function withResults(text: string, run: RecordedRun): string {
  return page.replace(text, generated(run));
}

function generated(run: RecordedRun): string {
  return `${machineNote(run, "the load, the upstream and all proxies")}\n\n${formatResults(run.results)}`;
}
