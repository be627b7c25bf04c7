// Adds up the wall times of the runtime suites on both servers in one test run. Each suite is its own process.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Wall time of a suite on each server, in milliseconds. */
export interface SuiteTimes {
  readonly embedded: number;
  readonly real: number;
}

/** Suites of the runtime, from single requests to programs with leader election. */
const suites = new Set([
  "the cache",
  "the client",
  "logs",
  "a controller",
  "an election between two processes",
  "a manager",
  "the writes of a reconciler",
]);

/** Folder of this test run. Each suite writes its own file, because suites run in parallel. */
const run = process.env["HOMEOSTAT_TEST_RUN"];

/**
 * Records the times of a suite. Returns the totals when every suite has run, and undefined before that, for other suites, and
 * when a test file was started without the test runner.
 */
export function noteSuite(what: string, times: SuiteTimes): SuiteTimes | undefined {
  if (run === undefined || !suites.has(what)) return undefined;
  const folder = join(run, "suite-times");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${what}.json`), JSON.stringify(times));
  const all = readdirSync(folder).flatMap((name) => readTimes(join(folder, name)));
  if (all.length < suites.size) return undefined;
  const sum = (name: keyof SuiteTimes): number => all.reduce((total, each) => total + each[name], 0);
  return { embedded: sum("embedded"), real: sum("real") };
}

function readTimes(path: string): SuiteTimes[] {
  try {
    return [JSON.parse(readFileSync(path, "utf8")) as SuiteTimes];
  } catch {
    return []; // Another suite is writing this file.
  }
}
