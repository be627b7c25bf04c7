import { parseArgs } from "node:util";
import { parseIntegerOption, UsageError } from "@homeostat/core";
import { parseBenchOptions } from "../harness/options.ts";

/** Parts of the comparison with the real server. */
export const partNames = ["start", "throughput", "fan-out", "memory"] as const;

export type PartName = (typeof partNames)[number];

/** Options of `npm run bench -- embedded`. */
export interface EmbeddedOptions {
  readonly parts: readonly PartName[];
  readonly subjects: readonly string[];
  readonly rounds: number;
  /** Number of objects that are created and read. */
  readonly objects: number;
  /** Number of concurrent requests. */
  readonly connections: number;
  readonly watchers: number;
  readonly writesPerSecond: number;
  /** Duration of the writes of `fan-out`. */
  readonly writeMs: number;
  /** Number of stored objects when memory is read. */
  readonly stored: number;
  /** True if the embedded server writes a CPU profile, which slows it down. */
  readonly isProfiled: boolean;
  /** Path of the results; undefined for a name with the date in bench/results. */
  readonly json: string | undefined;
}

export const subjectNames: readonly string[] = ["embedded", "real"];

export const embeddedHelp = `Usage: npm run bench -- embedded [part ...] [options]   the embedded server compared with etcd + kube-apiserver

  start        time from process start to the first successful request
  throughput   create, get and list custom resources of 2 KB over HTTPS
  fan-out      watch the same objects many times while they are written at a steady rate
  memory       memory of the server processes with many stored objects

  --only A          measure only embedded or only real
  --rounds N        number of measurements of start and throughput (default 3)
  --n N             throughput: number of objects (default 4000)
  --connections N   throughput: number of connections (default 16)
  --watchers N      fan-out: number of watchers (default 100)
  --rate N          fan-out: writes per second (default 500)
  --seconds N       fan-out: duration (default 15)
  --stored N        memory: number of objects (default 50000)
  --profile         write CPU profiles of the embedded server to bench/results, which slows it down
  --json FILE       path of the results (default bench/results/<date>.json)`;

/** Parses the arguments after `embedded`. Throws a {@link UsageError}. */
export function readEmbeddedArguments(words: readonly string[]): EmbeddedOptions {
  const { values, positionals } = parseBenchOptions(() =>
    parseArgs({
      args: [...words],
      allowPositionals: true,
      options: {
        only: text,
        rounds: text,
        n: text,
        connections: text,
        watchers: text,
        rate: text,
        seconds: text,
        stored: text,
        profile: { type: "boolean" },
        json: text,
      },
    }),
  );
  const parts = positionals.map((word) => {
    const part = partNames.find((name) => name === word);
    if (part === undefined) throw new UsageError(`Unknown part "${word}". Available parts: ${partNames.join(", ")}.`);
    return part;
  });
  const { only } = values;
  if (only !== undefined && !subjectNames.includes(only))
    throw new UsageError(`--only is "${only}"; it must be one of ${subjectNames.join(", ")}.`);
  return {
    parts: parts.length === 0 ? partNames : parts,
    subjects: only === undefined ? subjectNames : [only],
    rounds: parseIntegerOption("--rounds", values.rounds ?? "3", { min: 1, max: 9_999_999 }),
    objects: parseIntegerOption("--n", values.n ?? "4000", { min: 1, max: 9_999_999 }),
    connections: parseIntegerOption("--connections", values.connections ?? "16", { min: 1, max: 9_999_999 }),
    watchers: parseIntegerOption("--watchers", values.watchers ?? "100", { min: 1, max: 9_999_999 }),
    writesPerSecond: parseIntegerOption("--rate", values.rate ?? "500", { min: 1, max: 9_999_999 }),
    writeMs: parseIntegerOption("--seconds", values.seconds ?? "15", { min: 1, max: 9_999_999 }) * 1000,
    stored: parseIntegerOption("--stored", values.stored ?? "50000", { min: 1, max: 9_999_999 }),
    isProfiled: values.profile === true,
    json: values.json,
  };
}

const text = { type: "string" } as const;
