import { parseArgs } from "node:util";
import { UsageError } from "../peers/arguments.ts";

/** What the command line of a bench with one operator asked for. */
export interface OperatorBenchOptions {
  /** How many objects the operator is given. */
  readonly count: number;
  /** How long the operator is watched while it has nothing to do. */
  readonly idleMs: number;
  /** Whether the heap of the idle operator is written down. */
  readonly isProfiled: boolean;
  /** Where the numbers go; chosen by date when left away. */
  readonly json: string | undefined;
}

/** What the command line says about the bench of one operator, without loading it. */
export interface OperatorBenchEntry {
  /** The operator's folder in `operators/`, and the word on the command line. */
  readonly name: string;
  /** The operator for people: `Locust operator`. */
  readonly title: string;
  /** What the operator is given many of: `tests`. */
  readonly objects: string;
  /** How many of them, unless `--n` is given. */
  readonly count: number;
  /** What is measured: lines for `--help`. */
  readonly about: string;
}

/** Returns the help of the bench of one operator. */
export function operatorBenchHelp({ name, title, objects, count, about }: OperatorBenchEntry): string {
  return `Usage: npm run bench -- ${name} [options]   the ${title} on etcd + kube-apiserver

${about}

  --n N             how many ${objects} (default ${count})
  --idle N          for how many seconds the idle operator is watched (default 60)
  --profile         leaves a summary of the heap of the idle operator in bench/results
  --json FILE       where the numbers go (default bench/results/<date>.json)`;
}

/** Reads the words after the name of an operator. Throws a {@link UsageError}. */
export function readOperatorArguments(
  words: readonly string[],
  { count }: { readonly count: number },
): OperatorBenchOptions {
  const { values } = read(words);
  return {
    count: whole("--n", values.n ?? String(count)),
    idleMs: whole("--idle", values.idle ?? "60") * 1000,
    isProfiled: values.profile === true,
    json: values.json,
  };
}

const text = { type: "string" } as const;

function read(words: readonly string[]) {
  try {
    return parseArgs({ args: [...words], options: { n: text, idle: text, profile: { type: "boolean" }, json: text } });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function whole(option: string, value: string): number {
  const number = /^[1-9]\d{0,4}$/.test(value) ? Number(value) : undefined;
  if (number === undefined) throw new UsageError(`${option} is "${value}"; it must be a whole number from 1 to 99999.`);
  return number;
}
