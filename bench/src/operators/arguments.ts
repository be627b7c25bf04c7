import { parseArgs } from "node:util";
import { parseIntegerOption, UsageError } from "@homeostat/core";
import { parseBenchOptions } from "../harness/options.ts";

/** Options of an operator benchmark. */
export interface OperatorBenchOptions {
  /** Number of custom resources to create. */
  readonly count: number;
  /** Duration of the idle measurement. */
  readonly idleMs: number;
  /** True to write a heap summary of the idle operator. */
  readonly isProfiled: boolean;
  /** True to measure the operator without its peer. */
  readonly isAlone: boolean;
  /** Path of the results; undefined for a name with the date in bench/results. */
  readonly json: string | undefined;
}

/** Description of an operator benchmark for the command line, available without loading it. */
export interface OperatorBenchEntry {
  /** Folder of the operator in `operators/`, and its name on the command line. */
  readonly name: string;
  /** Display name: `Locust operator`. */
  readonly title: string;
  /** Plural noun for the custom resources: `tests`. */
  readonly objects: string;
  /** Default number of custom resources. */
  readonly count: number;
  /** Description for `--help`. */
  readonly about: string;
  /** Name of another operator that is measured, too. */
  readonly peer?: string;
}

/** Returns the help text of an operator benchmark. */
export function operatorBenchHelp({ name, title, objects, count, about, peer }: OperatorBenchEntry): string {
  const alone = peer === undefined ? "" : `\n  --alone           do not measure ${peer}`;
  return `Usage: npm run bench -- ${name} [options]   the ${title} on etcd + kube-apiserver

${about}

  --n N             number of ${objects} (default ${count})
  --idle N          seconds of the idle measurement (default 60)
  --profile         write a heap summary of the idle operator to bench/results${alone}
  --json FILE       path of the results (default bench/results/<date>.json)`;
}

/** Parses the arguments after the name of an operator. Throws a `UsageError`. */
export function readOperatorArguments(
  words: readonly string[],
  { count, peer }: Pick<OperatorBenchEntry, "count" | "peer">,
): OperatorBenchOptions {
  const options = { n: text, idle: text, profile: yes, json: text, alone: yes };
  const { values } = parseBenchOptions(() => parseArgs({ args: [...words], options }));
  if (values.alone === true && peer === undefined) throw new UsageError("--alone requires a benchmark with a peer");
  return {
    count: parseIntegerOption("--n", values.n ?? String(count), { min: 1, max: 99_999 }),
    idleMs: parseIntegerOption("--idle", values.idle ?? "60", { min: 1, max: 99_999 }) * 1000,
    isProfiled: values.profile === true,
    isAlone: values.alone === true,
    json: values.json,
  };
}

const text = { type: "string" } as const;
const yes = { type: "boolean" } as const;
