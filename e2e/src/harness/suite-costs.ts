// Adds up the times of the runtime's suites on both servers over one run of the tests. Each suite is a process of its own.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The wall time of a suite on each server, in milliseconds. */
export interface SuiteTimes {
  readonly embedded: number;
  readonly real: number;
}

/** The runtime's own suites: everything that it does, from single requests to programs that elect a leader. */
const suites = new Set([
  "the cache",
  "the client",
  "logs",
  "a controller",
  "an election between two processes",
  "a manager",
  "the writes of a reconciler",
]);

/** The folder of this run of the test runner. Each suite writes a file of its own, as suites run side by side. */
const run = process.env["HOMEOSTAT_TEST_RUN"];

/**
 * Writes down the times of a suite. Returns the sums once each suite has run; undefined before that, and for a suite that
 * is not one of the runtime's. Undefined too if a test file was started without the runner.
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
    return []; // Another suite is writing it just now.
  }
}
