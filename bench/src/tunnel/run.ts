import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { parseIntegerOption, UsageError } from "@homeostat/core";
import { formatGoal, missed } from "../harness/goals.ts";
import { parseBenchOptions } from "../harness/options.ts";
import { describeMachine } from "../harness/recorded-page.ts";
import { step } from "../harness/within.ts";
import { newerNode } from "../proxy/newer-node.ts";
import { measureAttached } from "./attached.ts";
import { goalsOf, names, transferKinds, type TunnelResults } from "./goals.ts";
import { measureSmall, measureStalled, measureTransfer, type Transfer } from "./measure.ts";
import { formatResults, saveRun } from "./report.ts";
import { Subjects, type Tunnel } from "./subjects.ts";

const parts = ["transfer", "far", "small", "stalled", "attached"] as const;
type Part = (typeof parts)[number];

interface TunnelBenchOptions {
  readonly only: ReadonlySet<Part>;
  readonly rounds: number;
  readonly tunnels: number;
  readonly isRecorded: boolean;
}

/** Half of the round trip of the delay line, in milliseconds. */
const delayMs = 20;
/** Time of a step whose waits have limits of their own, for each round of its tunnels. Installations take minutes the first time. */
const roundMs = 600_000;
const startMs = 1_800_000;

/** Measures tunnels in turns, prints the results, and fails if a goal is missed. */
export async function runTunnel(words: readonly string[]): Promise<void> {
  const options = readOptions(words);
  const before = loadavg()[0] ?? 0;
  const results = await measure(options);
  console.log(formatResults(results));
  if (options.isRecorded) saveRun({ ...describeMachine(before), results });
  const failing = missed(goalsOf(results));
  for (const goal of failing) console.error(`MISSED ${formatGoal(goal)}`);
  if (failing.length > 0) process.exitCode = 1;
}

async function measure({ only, rounds, tunnels }: TunnelBenchOptions): Promise<TunnelResults> {
  await using subjects = new Subjects();
  await subjects.startTarget();
  const node = await step("start, Node 24", startMs, newerNode);
  const run = async <T>(part: Part, one: () => Promise<T>): Promise<T | undefined> =>
    only.has(part) ? step(part, (rounds + 4) * roundMs, one) : undefined;
  // Before the others: their processes would take memory and time from it.
  const attached = await run("attached", () => measureAttached(subjects, { tunnels, node }));
  const isNearNeeded = only.has("transfer") || only.has("small") || only.has("stalled");
  const near = isNearNeeded ? await step("start, tunnels", startMs, () => startNear(subjects, node)) : [];
  const transfers = await run("transfer", () => measureTransfers(near, rounds));
  const small = await run("small", () => measureSmall(near, { rounds, requests: 2_000 }));
  const stalled = await run("stalled", () => measureStalled(near, { rounds, megabytes: 128 }));
  const far = await run("far", async () => {
    const all = await step("start, tunnels with a delay", startMs, () => startFar(subjects, node));
    // The default windows of yamux move 6 MB/s: a transfer of the size of the others would take 20 s.
    return measureTransfer(all, { streams: 1, megabytes: 96, direction: "response", rounds: 4, warmUpMegabytes: 64 });
  });
  return { transfers, small, stalled, far, attached };
}

async function startNear(subjects: Subjects, node: string): Promise<readonly Tunnel[]> {
  return [
    await subjects.startOwn({ name: names.newer, node }),
    await subjects.startOwn({ name: names.older, node: process.execPath }),
    await subjects.startYamux({ name: names.yamux }),
    await subjects.startChisel({ name: names.chisel }),
  ];
}

async function startFar(subjects: Subjects, node: string): Promise<readonly Tunnel[]> {
  return [
    await subjects.startOwn({ name: names.newer, node, delayMs }),
    await subjects.startOwn({ name: names.older, node: process.execPath, delayMs }),
    await subjects.startYamux({ name: names.yamux, delayMs }),
    await subjects.startYamux({ name: names.wideYamux, windowBytes: 16 * 1_048_576, delayMs }),
    await subjects.startChisel({ name: names.chisel, delayMs }),
  ];
}

async function measureTransfers(
  tunnels: readonly Tunnel[],
  rounds: number,
): Promise<NonNullable<TunnelResults["transfers"]>> {
  const results: Transfer[] = [];
  for (const { streams, direction, title } of transferKinds) {
    const options = { streams, direction, megabytes: 256, rounds, warmUpMegabytes: 128 };
    results.push(await step(`transfer, ${title}`, (rounds + 1) * roundMs, () => measureTransfer(tunnels, options)));
  }
  const [response1, response100, request1, request100] = results;
  if (!response1 || !response100 || !request1 || !request100) throw new Error("a kind of transfer was not measured");
  return { response1, response100, request1, request100 };
}

function readOptions(words: readonly string[]): TunnelBenchOptions {
  const { values } = parseBenchOptions(() =>
    parseArgs({
      args: [...words],
      options: {
        only: { type: "string" },
        rounds: { type: "string" },
        tunnels: { type: "string" },
        record: { type: "boolean" },
      },
    }),
  );
  const number = (name: "rounds" | "tunnels", otherwise: number, max: number): number => {
    const text = values[name];
    return text === undefined ? otherwise : parseIntegerOption(`--${name}`, text, { min: 1, max });
  };
  const only = (values.only?.split(",") ?? parts).map((text) => {
    const part = parts.find((each) => each === text);
    if (part === undefined)
      throw new UsageError(`--only has ${JSON.stringify(text)}; the parts are ${parts.join(", ")}.`);
    return part;
  });
  return {
    only: new Set(only),
    rounds: number("rounds", 7, 1_000),
    tunnels: number("tunnels", 1_000, 5_000),
    isRecorded: values.record === true,
  };
}
