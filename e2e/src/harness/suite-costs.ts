// What the suites of the runtime take on both servers, added up over one run of the tests: each suite is a process of its own.

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** How long a suite took on each server, in milliseconds. */
export interface SuiteTimes {
  readonly embedded: number;
  readonly real: number;
}

/** The runtime's own suites: all that it does, from single requests to programs that lead in turn. */
const suites = new Set([
  "the cache",
  "the client",
  "logs",
  "a controller",
  "an election between two processes",
  "a manager",
  "the writes of a reconciler",
]);

/** The process that runs all test files, one after the other: who has the same one belongs to the same run. */
const run = process.ppid;
const file = fileURLToPath(new URL("../suite-times.json", import.meta.url));

interface Notes {
  readonly run: number;
  readonly times: Record<string, SuiteTimes>;
}

/**
 * Notes how long a suite took and returns the sum of all once each has been run; undefined before, and for a suite that is
 * not the runtime's.
 */
export function noteSuite(what: string, times: SuiteTimes): SuiteTimes | undefined {
  if (!suites.has(what)) return undefined;
  const notes = { ...notesOf(readNotes()), [what]: times };
  writeFileSync(file, JSON.stringify({ run, times: notes } satisfies Notes));
  const all = Object.values(notes);
  if (all.length < suites.size) return undefined;
  const sum = (name: keyof SuiteTimes): number => all.reduce((total, each) => total + each[name], 0);
  return { embedded: sum("embedded"), real: sum("real") };
}

function notesOf(notes: Notes | undefined): Record<string, SuiteTimes> {
  return notes?.run === run ? notes.times : {};
}

function readNotes(): Notes | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Notes;
  } catch {
    return undefined;
  }
}
