import { parseArgs } from "node:util";
import { UsageError } from "../peers/arguments.ts";

/** What the command line asked for. */
export interface LocustOptions {
  /** How many load tests there are. */
  readonly tests: number;
  /** How long the operator is watched while it has nothing to do. */
  readonly idleMs: number;
  /** Whether the heap of the idle operator is written down. */
  readonly isProfiled: boolean;
  /** Where the numbers go; chosen by date when left away. */
  readonly json: string | undefined;
}

export const locustHelp = `Usage: npm run bench -- locust [options]   the Locust operator on etcd + kube-apiserver

  Makes many LocustTests at once; says how long until each has its objects and its status, and what that took. Then lets all
  of them end, and looks for a while at an operator that has nothing left to do. Fails when something is over its limit.

  --n N             how many tests (default 500)
  --idle N          for how many seconds the idle operator is watched (default 60)
  --profile         leaves a summary of the heap of the idle operator in bench/results
  --json FILE       where the numbers go (default bench/results/<date>.json)`;

/** Reads the words after `locust`. Throws a {@link UsageError}. */
export function readLocustArguments(words: readonly string[]): LocustOptions {
  const { values } = read(words);
  return {
    tests: whole("--n", values.n ?? "500"),
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
