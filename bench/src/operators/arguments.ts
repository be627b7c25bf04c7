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
  /** The only operator to measure, if the benchmark compares several; undefined for all. */
  readonly only: string | undefined;
  /** True to write the results to the repository: see `compared` and `recorded` of the entry. */
  readonly isRecorded: boolean;
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
  /** Names of the operators that the benchmark compares, if there are several. `--record` writes ratios to bench/recorded.json. */
  readonly compared?: readonly string[];
  /** File to which `--record` writes the results of a benchmark of one operator. */
  readonly recorded?: string;
}

/** Returns the help text of an operator benchmark. */
export function operatorBenchHelp(entry: OperatorBenchEntry): string {
  const { name, title, objects, count, about, compared, recorded } = entry;
  const only =
    compared === undefined
      ? ""
      : `
  --only NAME       measure only ${compared.join(" or ")}
  --record          write the ratios between both to bench/recorded.json`;
  const record =
    recorded === undefined
      ? ""
      : `
  --record          write the results to ${recorded}`;
  return `Usage: npm run bench -- ${name} [options]   the ${title} on etcd + kube-apiserver

${about}

  --n N             number of ${objects} (default ${count})
  --idle N          seconds of the idle measurement (default 60)
  --profile         write a heap summary of the idle operator to bench/results${only}${record}
  --json FILE       path of the results (default bench/results/<date>.json)`;
}

/** Parses the arguments after the name of an operator. Throws a `UsageError`. */
export function readOperatorArguments(
  words: readonly string[],
  { count, compared = [], recorded }: Pick<OperatorBenchEntry, "count" | "compared" | "recorded">,
): OperatorBenchOptions {
  const options = {
    n: text,
    idle: text,
    profile: { type: "boolean" },
    json: text,
    only: text,
    record: { type: "boolean" },
  } as const;
  const { values } = parseBenchOptions(() => parseArgs({ args: [...words], options }));
  const { only } = values;
  if (only !== undefined && !compared.includes(only))
    throw new UsageError(`--only ${only} is not an operator of this benchmark. See npm run bench -- --help.`);
  const isRecorded = values.record === true;
  if (isRecorded && recorded === undefined && (compared.length === 0 || only !== undefined))
    throw new UsageError("--record needs several operators to compare. See npm run bench -- --help.");
  return {
    count: parseIntegerOption("--n", values.n ?? String(count), { min: 1, max: 99_999 }),
    idleMs: parseIntegerOption("--idle", values.idle ?? "60", { min: 1, max: 99_999 }) * 1000,
    isProfiled: values.profile === true,
    only,
    isRecorded,
    json: values.json,
  };
}

const text = { type: "string" } as const;
