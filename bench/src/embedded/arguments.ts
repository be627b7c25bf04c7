import { parseArgs } from "node:util";
import { UsageError } from "../peers/arguments.ts";

/** What can be measured of the embedded server beside the real one. */
export const partNames = ["start", "throughput", "fan-out", "memory"] as const;

export type PartName = (typeof partNames)[number];

/** What the command line asked for. */
export interface EmbeddedOptions {
  readonly parts: readonly PartName[];
  readonly subjects: readonly string[];
  readonly rounds: number;
  /** How many objects are created and read. */
  readonly objects: number;
  /** How many requests are under way at a time. */
  readonly connections: number;
  readonly watchers: number;
  readonly writesPerSecond: number;
  /** How long the writes of `fan-out` go on. */
  readonly writeMs: number;
  /** How many objects there are when memory is read. */
  readonly stored: number;
  /** Whether the embedded server writes a profile, which slows it. */
  readonly isProfiled: boolean;
  /** Where the numbers go; chosen by date when left away. */
  readonly json: string | undefined;
}

export const subjectNames: readonly string[] = ["embedded", "real"];

export const embeddedHelp = `Usage: npm run bench -- embedded [part ...] [options]   the embedded server beside etcd + kube-apiserver

  start        from the start of the processes to the first successful request
  throughput   create, get and list of custom resources of 2 KB, over HTTPS
  fan-out      watchers of the same objects, while those are written at a steady rate
  memory       of the servers' processes, with many objects stored

  --only A          embedded or real, instead of both
  --rounds N        how often start and throughput are measured (default 3)
  --n N             throughput: how many objects (default 4000)
  --connections N   throughput: how many at a time (default 16)
  --watchers N      fan-out: how many (default 100)
  --rate N          fan-out: writes per second (default 500)
  --seconds N       fan-out: for how long (default 15)
  --stored N        memory: how many objects (default 50000)
  --profile         the embedded server writes CPU profiles to bench/results, and is slower for it
  --json FILE       where the numbers go (default bench/results/<date>.json)`;

/** Reads the words after `embedded`. Throws a {@link UsageError}. */
export function readEmbeddedArguments(words: readonly string[]): EmbeddedOptions {
  const { values, positionals } = read(words);
  const parts = positionals.map((word) => {
    const part = partNames.find((name) => name === word);
    if (part === undefined) throw new UsageError(`There is no part "${word}". There are: ${partNames.join(", ")}.`);
    return part;
  });
  const { only } = values;
  if (only !== undefined && !subjectNames.includes(only))
    throw new UsageError(`--only is "${only}"; it must be one of ${subjectNames.join(", ")}.`);
  return {
    parts: parts.length === 0 ? partNames : parts,
    subjects: only === undefined ? subjectNames : [only],
    rounds: whole("--rounds", values.rounds ?? "3"),
    objects: whole("--n", values.n ?? "4000"),
    connections: whole("--connections", values.connections ?? "16"),
    watchers: whole("--watchers", values.watchers ?? "100"),
    writesPerSecond: whole("--rate", values.rate ?? "500"),
    writeMs: whole("--seconds", values.seconds ?? "15") * 1000,
    stored: whole("--stored", values.stored ?? "50000"),
    isProfiled: values.profile === true,
    json: values.json,
  };
}

const text = { type: "string" } as const;

function read(words: readonly string[]) {
  try {
    return parseArgs({
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
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function whole(option: string, value: string): number {
  const number = /^[1-9]\d{0,6}$/.test(value) ? Number(value) : undefined;
  if (number === undefined) throw new UsageError(`${option} is "${value}"; it must be a whole number from 1 on.`);
  return number;
}
