// The page that shows the results.

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { formatNumbers, type SandboxNumbers } from "./report.ts";

const pagePath = fileURLToPath(new URL("../../../docs/reference/sandbox-performance.md", import.meta.url));

/** Comments around the part of the page that is generated. */
const marks = {
  begin: "<!-- begin: npm run bench -- sandbox --record -->",
  end: "<!-- end -->",
} as const;

/** Results of one run. */
export interface SandboxResults {
  readonly date: string;
  readonly machine: { readonly cpu: string; readonly cores: number; readonly memoryBytes: number };
  /** Version of Node. */
  readonly node: string;
  /** Load averages of the machine. */
  readonly load: { readonly before: readonly number[]; readonly after: readonly number[] };
  readonly numbers: SandboxNumbers;
}

/** Returns the page. */
export function loadPage(): string {
  return readFileSync(pagePath, "utf8");
}

/** Writes results to the page. */
export function saveResults(results: SandboxResults): void {
  writeFileSync(pagePath, withResults(loadPage(), results));
  console.log("Recorded the results in docs/reference/sandbox-performance.md");
}

/** Replaces the generated part of the page. */
export function withResults(page: string, { date, machine, node, load, numbers }: SandboxResults): string {
  const [begin, end] = [page.indexOf(marks.begin), page.indexOf(marks.end)];
  if (begin < 0 || end < begin) throw new Error(`the page has no part between ${marks.begin} and ${marks.end}`);
  const average = ([, fiveMinutes = 0]: readonly number[]): string => fiveMinutes.toFixed(1);
  const how =
    `Measured on ${date.slice(0, 10)} with Node ${node} and ${numbers.sandboxes} sandboxes in ${numbers.namespaces} namespaces, on a machine ` +
    `with ${machine.cores} cores that the control plane and the benchmark share (load average ${average(load.before)} before, ` +
    `${average(load.after)} after).`;
  return [page.slice(0, begin + marks.begin.length), "", how, "", formatNumbers(numbers), "", page.slice(end)].join(
    "\n",
  );
}
