import { parseArgs } from "node:util";
import { UsageError } from "../peers/arguments.ts";

/** Bursts that can be measured. */
export const burstNames = ["services", "locust"] as const;

export type BurstName = (typeof burstNames)[number];

/** Options of the command line. */
export interface BurstOptions {
  readonly bursts: readonly BurstName[];
  /** The number of Services to create. */
  readonly services: number;
  /** The number of LocustTests to create. */
  readonly tests: number;
  /** The time limit for the LocustTests. */
  readonly timeoutMs: number;
  /** True if a rate that falls by more than a factor of two is a failure. */
  readonly isChecked: boolean;
}

export const burstHelp = `Usage: npm run bench -- burst [services] [locust] [options]   many objects at once on the embedded cluster

  services     creates Services; compares the first hundred with the last
  locust       creates LocustTests and runs them to their end with the operator; compares the first fifth of writes with the last

Rates are per second of CPU time of the process, so that other work on the machine does not count.

  --services N      how many Services (default 5000)
  --tests N         how many LocustTests (default 1000)
  --timeout N       how many seconds the LocustTests may take (default 600)
  --check           fails when a rate falls by more than a factor of two`;

const text = { type: "string" } as const;

/** Reads the words after `burst`. Throws a {@link UsageError}. */
export function readBurstArguments(words: readonly string[]): BurstOptions {
  const { values, positionals } = read(words);
  const bursts = positionals.map((word) => {
    const burst = burstNames.find((name) => name === word);
    if (burst === undefined) throw new UsageError(`There is no burst "${word}". There are: ${burstNames.join(", ")}.`);
    return burst;
  });
  return {
    bursts: bursts.length === 0 ? burstNames : bursts,
    services: whole("--services", values.services ?? "5000", 200),
    tests: whole("--tests", values.tests ?? "1000", 10),
    timeoutMs: whole("--timeout", values.timeout ?? "600", 1) * 1000,
    isChecked: values.check === true,
  };
}

function read(words: readonly string[]) {
  try {
    return parseArgs({
      args: [...words],
      allowPositionals: true,
      options: { services: text, tests: text, timeout: text, check: { type: "boolean" } },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function whole(option: string, value: string, min: number): number {
  const number = /^\d{1,6}$/.test(value) ? Number(value) : 0;
  if (number < min) throw new UsageError(`${option} is "${value}"; it must be a whole number from ${min} to 999999.`);
  return number;
}
