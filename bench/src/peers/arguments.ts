import { parseArgs } from "node:util";
import { contestantNames, defaultContestants } from "./contestants.ts";

/** What can be measured beside the peers. */
export const modeNames = ["sync", "latency", "throughput", "idle", "restart", "relist"] as const;

export type ModeName = (typeof modeNames)[number];

/** What the command line asked for. */
export interface PeerOptions {
  readonly modes: readonly ModeName[];
  /** How many objects there are, for each size that sync is measured at. The other modes use the first. */
  readonly sizes: readonly number[];
  readonly rounds: number;
  readonly contestants: readonly string[];
  /** How long after a sync memory is read. */
  readonly settleMs: number;
  /** How long `idle` looks on. */
  readonly idleMs: number;
  readonly updates: number;
  readonly updatesPerSecond: number;
  /** How many new objects `throughput` makes. */
  readonly newObjects: number;
  readonly workers: number;
  readonly isProfiled: boolean;
  /** A built checkout of another revision, measured as one more contestant. */
  readonly before: string | undefined;
  /** Where the numbers go; chosen by date when left away. */
  readonly json: string | undefined;
}

/** The command line was wrong; its message is all the user needs to see. */
export class UsageError extends Error {}

export const peerHelp = `Usage: npm run bench -- <mode> [options]         beside the peers, on a real kube-apiserver

  sync         N objects exist: from process start to a full cache; CPU, memory, bytes per object
  latency      a change to its reconcile, at a steady rate of changes
  throughput   new objects with three children each, until all children exist and each status says so
  idle         memory and CPU of a whole controller at rest
  restart      the kube-apiserver is killed and started again: time to the next fresh event, bytes sent
  relist       the same, with changes that nobody saw, so that every watch must begin anew (410)
  all          everything above; sync also with nothing, and at 50,000 and 100,000 objects (hours)

  --n N[,N]         how many objects (default 10000); sync takes several sizes
  --rounds N        how often each contestant runs (default 3)
  --only A,B        which contestants (default ${defaultContestants.join(",")}; "all" for all of
                    ${contestantNames.join(",")})
  --new N           throughput: how many new objects (default 2000)
  --workers N       throughput and the others: reconciles at once (default 16)
  --updates N       latency: how many changes (default 500)
  --rate N          latency: changes per second (default 50)
  --settle SECONDS  sync: wait before memory is read (default 10)
  --idle SECONDS    idle: how long to look on (default 60)
  --before FOLDER   adds the contestant homeostat-before: another checkout of this repository, installed and built
  --profile         one more run of homeostat per mode, not measured, with a CPU profile and a heap summary
  --json FILE       where the numbers go (default bench/results/<date>.json)`;

/** Whether a word of the command line names a mode, so that the run is one beside the peers. */
export function isPeerMode(word: string | undefined): boolean {
  return word === "all" || modeNames.some((mode) => mode === word);
}

/** Reads the command line of a run beside the peers. Throws {@link UsageError} for one that makes no sense. */
export function readPeerArguments(args: readonly string[]): PeerOptions {
  const { values, positionals } = parse(args);
  const isAll = positionals.includes("all");
  const unknown = positionals.filter((word) => !isPeerMode(word));
  if (unknown.length > 0)
    throw new UsageError(`${unknown.join(", ")} is no mode. Modes: ${modeNames.join(", ")}, all.`);
  const sizes = values.n === undefined ? (isAll ? [10_000, 0, 50_000, 100_000] : [10_000]) : readSizes(values.n);
  return {
    modes: modeNames.filter((mode) => isAll || positionals.includes(mode)),
    sizes,
    rounds: wholeNumber("rounds", values.rounds, 1, 99),
    contestants: readContestants(values.only),
    settleMs: 1000 * wholeNumber("settle", values.settle, 0, 600),
    idleMs: 1000 * wholeNumber("idle", values.idle, 1, 3600),
    updates: wholeNumber("updates", values.updates, 10, 100_000),
    updatesPerSecond: wholeNumber("rate", values.rate, 1, 1000),
    newObjects: wholeNumber("new", values.new, 1, 100_000),
    workers: wholeNumber("workers", values.workers, 1, 256),
    isProfiled: values.profile,
    before: values.before,
    json: values.json,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        n: { type: "string" },
        rounds: { type: "string", default: "3" },
        only: { type: "string", default: defaultContestants.join(",") },
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
    });
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : String(error)}\n\n${peerHelp}`, { cause: error });
  }
}

function readSizes(text: string): number[] {
  const sizes = text.split(",").map((size) => wholeNumber("n", size, 0, 1_000_000));
  return [...new Set(sizes)];
}

function readContestants(text: string): readonly string[] {
  if (text === "all") return contestantNames;
  const names = [...new Set(text.split(",").filter((name) => name !== ""))];
  const unknown = names.filter((name) => !contestantNames.includes(name));
  if (names.length === 0 || unknown.length > 0) {
    throw new UsageError(`--only knows ${contestantNames.join(", ")}; not ${unknown.join(", ") || "an empty list"}.`);
  }
  return names;
}

function wholeNumber(option: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= max) return value;
  throw new UsageError(`--${option} must be a whole number from ${min} to ${max}, not "${text}".`);
}
