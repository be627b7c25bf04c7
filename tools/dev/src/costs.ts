import { readFileSync } from "node:fs";
import type { Budgets } from "./budgets.ts";

/** The environment variable with the file that test processes append {@link CostNote} lines to. */
export const costsVariable = "HOMEOSTAT_TEST_COSTS";

/** One line of the cost file. A test file writes one with `cpuMs`, and one with `clusterMs` for each cluster it waited for. */
export interface CostNote {
  /** Path of the compiled test file. */
  readonly file: string;
  /** CPU time of the process and its children. */
  readonly cpuMs?: number;
  /** Wall time until a real control plane was ready. */
  readonly clusterMs?: number;
}

/** Costs of one test file, in milliseconds. */
export interface Cost {
  readonly wallMs: number;
  /** Undefined if the process was killed, for example by the time limit. */
  readonly cpuMs: number | undefined;
  /** The part of the wall time in which the file waited for control planes to start. */
  readonly clusterMs: number;
  readonly clusters: number;
}

/** Reads the cost file. Lines that were not written completely are left out. */
export function readNotes(path: string): CostNote[] {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return [];
  }
  return text.split("\n").flatMap((line): CostNote[] => {
    try {
      const note: unknown = JSON.parse(line);
      return isNote(note) ? [note] : [];
    } catch {
      return [];
    }
  });
}

function isNote(note: unknown): note is CostNote {
  return typeof note === "object" && note !== null && "file" in note && typeof note.file === "string";
}

/** Joins the wall times of the runner with the notes of the test files, by source file. */
export function costsOf(
  times: ReadonlyMap<string, number>,
  notes: readonly CostNote[],
  sourceOf: (file: string) => string,
): Map<string, Cost> {
  const bySource = groupBy(notes, ({ file }) => sourceOf(file));
  return new Map(
    [...times].map(([source, wallMs]) => {
      const own = lastRun(bySource.get(source) ?? []);
      const waits = own.flatMap(({ clusterMs }) => clusterMs ?? []);
      const cost: Cost = {
        wallMs,
        cpuMs: own.findLast((note) => note.cpuMs !== undefined)?.cpuMs,
        clusterMs: waits.reduce((sum, ms) => sum + ms, 0),
        clusters: waits.length,
      };
      return [source, cost];
    }),
  );
}

/** Returns the notes of the last process of a file, which may have run twice: a process writes its CPU time at its end. */
function lastRun(notes: readonly CostNote[]): readonly CostNote[] {
  const ends = notes.flatMap(({ cpuMs }, index) => (cpuMs === undefined ? [] : [index]));
  return notes.slice((ends.at(-2) ?? -1) + 1);
}

/**
 * Prints the costs as a table: seconds of wall time, CPU time and waiting for control planes for each file, the slowest
 * first, then the same for each suite (a folder of e2e, or a package).
 */
export function costTable(costs: ReadonlyMap<string, Cost>, budgets: Budgets = {}): string {
  const rows = (entries: readonly (readonly [string, Cost])[]): string[] =>
    entries
      .toSorted(([, a], [, b]) => b.wallMs - a.wallMs)
      .map(([name, cost]) => `${columns(cost)}  ${name}${overBudget(cost, budgets[name])}`);
  const suites = [...groupBy([...costs], ([source]) => suiteOf(source))].map(
    ([suite, entries]) => [suite, sum(entries.map(([, cost]) => cost))] as const,
  );
  return [
    header("file"),
    ...rows([...costs]),
    "",
    header("suite"),
    ...rows(suites),
    "",
    `${columns(sum([...costs.values()]))}  sum`,
  ].join("\n");
}

/**
 * Names the suite of a test file: the folder for a file of e2e, such as `e2e/packages/apiserver/crd` for
 * `e2e/src/packages/apiserver/crd/objects.test.ts`, and the package for a unit test, such as `packages/core`.
 */
export function suiteOf(source: string): string {
  const [first = "", second = "", ...rest] = source.split("/");
  return first === "e2e" ? ["e2e", ...rest.slice(0, -1)].join("/") : `${first}/${second}`;
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}

function sum(costs: readonly Cost[]): Cost {
  const total = (read: (cost: Cost) => number): number => costs.reduce((all, cost) => all + read(cost), 0);
  return {
    wallMs: total(({ wallMs }) => wallMs),
    cpuMs: total(({ cpuMs }) => cpuMs ?? 0),
    clusterMs: total(({ clusterMs }) => clusterMs),
    clusters: total(({ clusters }) => clusters),
  };
}

function overBudget({ wallMs }: Cost, seconds: number | undefined): string {
  return seconds === undefined || wallMs <= seconds * 1000 ? "" : ` (over its budget of ${seconds} s)`;
}

function header(last: string): string {
  return `${["wall s", "CPU s", "cluster s", "clusters"].map((name) => name.padStart(10)).join("")}  ${last}`;
}

function columns({ wallMs, cpuMs, clusterMs, clusters }: Cost): string {
  const seconds = (ms: number | undefined): string => (ms === undefined ? "?" : (ms / 1000).toFixed(1));
  const texts = [seconds(wallMs), seconds(cpuMs), clusters === 0 ? "" : seconds(clusterMs), clusters || ""];
  return texts.map((text) => String(text).padStart(10)).join("");
}
