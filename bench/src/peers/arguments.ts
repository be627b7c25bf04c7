import { parseArgs } from "node:util";
import { parseIntegerOption, UsageError } from "@homeostat/core";
import { parseBenchOptions } from "../harness/options.ts";
import { runtimeNames, defaultRuntimes } from "./runtimes.ts";

/** Modes of the comparison with other runtimes. */
export const modeNames = ["sync", "latency", "throughput", "idle", "restart", "relist"] as const;

export type ModeName = (typeof modeNames)[number];

/** Options of a comparison with other runtimes. */
export interface PeerOptions {
  readonly modes: readonly ModeName[];
  /** Numbers of objects. Mode sync is measured with each; the other modes use the first. */
  readonly sizes: readonly number[];
  readonly rounds: number;
  readonly runtimes: readonly string[];
  /** Delay between a sync and reading memory. */
  readonly settleMs: number;
  /** Duration of the `idle` measurement. */
  readonly idleMs: number;
  readonly updates: number;
  readonly updatesPerSecond: number;
  /** Number of objects that `throughput` creates. */
  readonly newObjects: number;
  readonly workers: number;
  readonly isProfiled: boolean;
  /** Built checkout of another revision, measured as an additional runtime. */
  readonly before: string | undefined;
  /** Path of the results; undefined for a name with the date in bench/results. */
  readonly json: string | undefined;
}

export const peerHelp = `Usage: npm run bench -- <mode> [options]         comparison with other runtimes on a real kube-apiserver

  sync         time from process start to a cache with N objects; CPU, memory, bytes per object
  latency      time from a change to its reconcile, at a steady rate of changes
  throughput   time until new objects have three children each and an up-to-date status
  idle         memory and CPU of a complete controller without work
  restart      time to the next event after the kube-apiserver is killed and restarted; bytes sent
  relist       the same with missed changes, so that every watch fails with 410 and lists again
  all          all of the above; sync also with 0, 50,000 and 100,000 objects (takes hours)

  --n N[,N]         number of objects (default 10000); sync accepts several numbers
  --rounds N        number of runs of each runtime (default 3)
  --only A,B        runtimes to measure (default ${defaultRuntimes.join(",")}; "all" for all of
                    ${runtimeNames.join(",")})
  --new N           throughput: number of new objects (default 2000)
  --workers N       concurrent reconciles (default 16)
  --updates N       latency: number of changes (default 500)
  --rate N          latency: changes per second (default 50)
  --settle SECONDS  sync: delay before memory is read (default 10)
  --idle SECONDS    idle: duration of the measurement (default 60)
  --before FOLDER   add the runtime homeostat-before: another checkout of this repository, installed and built
  --profile         add one unmeasured run of homeostat per mode, with a CPU profile and a heap summary
  --json FILE       path of the results (default bench/results/<date>.json)`;

/** Reports whether an argument is a mode of the comparison with other runtimes. */
export function isPeerMode(word: string | undefined): boolean {
  return word === "all" || modeNames.some((mode) => mode === word);
}

/** Parses the command line of a comparison with other runtimes. Throws a {@link UsageError}. */
export function readPeerArguments(args: readonly string[]): PeerOptions {
  const { values, positionals } = parseBenchOptions(() =>
    parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        n: { type: "string" },
        rounds: { type: "string", default: "3" },
        only: { type: "string", default: defaultRuntimes.join(",") },
        settle: { type: "string", default: "10" },
        idle: { type: "string", default: "60" },
        updates: { type: "string", default: "500" },
        rate: { type: "string", default: "50" },
        new: { type: "string", default: "2000" },
        workers: { type: "string", default: "16" },
        profile: { type: "boolean", default: false },
        before: { type: "string" },
        json: { type: "string" },
      },
    }),
  );
  const isAll = positionals.includes("all");
  const unknown = positionals.filter((word) => !isPeerMode(word));
  if (unknown.length > 0)
    throw new UsageError(`${unknown.join(", ")} is not a mode. Modes: ${modeNames.join(", ")}, all.`);
  const sizes = values.n === undefined ? (isAll ? [10_000, 0, 50_000, 100_000] : [10_000]) : readSizes(values.n);
  return {
    modes: modeNames.filter((mode) => isAll || positionals.includes(mode)),
    sizes,
    rounds: parseIntegerOption("--rounds", values.rounds, { min: 1, max: 99 }),
    runtimes: readRuntimes(values.only),
    settleMs: 1000 * parseIntegerOption("--settle", values.settle, { min: 0, max: 600 }),
    idleMs: 1000 * parseIntegerOption("--idle", values.idle, { min: 1, max: 3600 }),
    updates: parseIntegerOption("--updates", values.updates, { min: 10, max: 100_000 }),
    updatesPerSecond: parseIntegerOption("--rate", values.rate, { min: 1, max: 1000 }),
    newObjects: parseIntegerOption("--new", values.new, { min: 1, max: 100_000 }),
    workers: parseIntegerOption("--workers", values.workers, { min: 1, max: 256 }),
    isProfiled: values.profile,
    before: values.before,
    json: values.json,
  };
}

function readSizes(text: string): number[] {
  const sizes = text.split(",").map((size) => parseIntegerOption("--n", size, { min: 0, max: 1_000_000 }));
  return [...new Set(sizes)];
}

function readRuntimes(text: string): readonly string[] {
  if (text === "all") return runtimeNames;
  const names = [...new Set(text.split(",").filter((name) => name !== ""))];
  const unknown = names.filter((name) => !runtimeNames.includes(name));
  if (names.length === 0 || unknown.length > 0) {
    throw new UsageError(`--only accepts ${runtimeNames.join(", ")}, not ${unknown.join(", ") || "an empty list"}.`);
  }
  return names;
}
