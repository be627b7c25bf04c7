// The page that shows the results.

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { ProxyResults } from "./goals.ts";
import { formatResults } from "./report.ts";

const pagePath = fileURLToPath(new URL("../../../docs/reference/proxy-performance.md", import.meta.url));
const marks = { begin: "<!-- begin: npm run bench -- proxy --record -->", end: "<!-- end -->" } as const;

/** A run with its circumstances. */
export interface RecordedRun {
  readonly date: string;
  readonly machine: string;
  /** Load averages of the last minute, before and after the run. */
  readonly load: readonly [before: number, after: number];
  readonly results: ProxyResults;
}

/** Writes a run to the page. */
export function saveRun(run: RecordedRun): void {
  writeFileSync(pagePath, withResults(readFileSync(pagePath, "utf8"), run));
  console.log("Recorded the results in docs/reference/proxy-performance.md");
}

/** Replaces the generated part of the page. */
export function withResults(page: string, { date, machine, load, results }: RecordedRun): string {
  const [begin, end] = [page.indexOf(marks.begin), page.indexOf(marks.end)];
  if (begin < 0 || end < begin) throw new Error(`the page has no part between ${marks.begin} and ${marks.end}`);
  const how =
    `Measured on ${date.slice(0, 10)} on a machine with ${machine}, which the load, the upstream and all proxies share ` +
    `(load average ${load[0].toFixed(1)} before, ${load[1].toFixed(1)} after).`;
  return [page.slice(0, begin + marks.begin.length), "", how, "", formatResults(results), "", page.slice(end)].join(
    "\n",
  );
}
