import { parseArgs } from "node:util";
import { parseIntegerOption, UsageError } from "@homeostat/core";
import { parseBenchOptions } from "../harness/options.ts";

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
  const { values, positionals } = parseBenchOptions(() =>
    parseArgs({
      args: [...words],
      allowPositionals: true,
      options: { services: text, tests: text, timeout: text, check: { type: "boolean" } },
    }),
  );
  const bursts = positionals.map((word) => {
    const burst = burstNames.find((name) => name === word);
    if (burst === undefined) throw new UsageError(`There is no burst "${word}". There are: ${burstNames.join(", ")}.`);
    return burst;
  });
  return {
    bursts: bursts.length === 0 ? burstNames : bursts,
    services: parseIntegerOption("--services", values.services ?? "5000", { min: 200, max: 999_999 }),
    tests: parseIntegerOption("--tests", values.tests ?? "1000", { min: 10, max: 999_999 }),
    timeoutMs: parseIntegerOption("--timeout", values.timeout ?? "600", { min: 1, max: 999_999 }) * 1000,
    isChecked: values.check === true,
  };
}
