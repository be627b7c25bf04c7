import { loadavg } from "node:os";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { parseIntegerOption, UsageError } from "@homeostat/core";
import { formatGoal } from "../harness/goals.ts";
import { parseBenchOptions } from "../harness/options.ts";
import { describeMachine } from "../harness/recorded-page.ts";
import { missedGoals, names, type ProxyResults } from "./goals.ts";
import { measureMixed } from "./mixed-load.ts";
import { newerNode } from "./newer-node.ts";
import { readPage, saveRun } from "./page.ts";
import { recordedValues, regressions } from "./regressions.ts";
import { formatResults } from "./report.ts";
import { largeBodies, measureCpu, measureIdle, measureLatency, smallBodies, unaryCalls } from "./scenarios.ts";
import { rssMib, type Subject, Subjects } from "./subjects.ts";

const parts = ["small", "calls", "large", "keys", "latency", "idle", "mixed"] as const;
type Part = (typeof parts)[number];
/** Time after the load in which the proxy returns memory to the system: it does so after 30 s without load. */
const restMs = 45_000;
/** Parts of `--check`: those that measure CPU time and memory, which a busy machine changes least. */
const checkedParts: readonly Part[] = ["small", "calls", "large", "keys"];

interface ProxyOptions {
  readonly only: ReadonlySet<Part>;
  readonly rounds: number;
  readonly scale: number;
  readonly connections: number;
  readonly mixedMinutes: number;
  readonly isRecorded: boolean;
  readonly isChecked: boolean;
}

/** Measures proxies in turns, prints the results, and fails if a goal is missed. */
export async function runProxy(words: readonly string[]): Promise<void> {
  const options = readOptions(words);
  const before = loadavg()[0] ?? 0;
  const results = await measure(options);
  console.log(formatResults(results));
  if (options.isRecorded) saveRun({ ...describeMachine(before), results });
  if (options.isChecked) return check(results);
  const missed = missedGoals(results);
  for (const goal of missed) console.error(`MISSED ${formatGoal(goal)}`);
  if (missed.length > 0) process.exitCode = 1;
}

/** Fails if a value is worse than the recorded one by more than the tolerance. */
function check(results: ProxyResults): void {
  const worse = regressions(results, recordedValues(readPage()));
  for (const line of worse) console.error(`REGRESSION ${line}`);
  if (worse.length > 0) process.exitCode = 1;
  else console.log("No value is worse than the recorded one by more than 10 %.");
}

async function measure({ only, rounds, scale, connections, mixedMinutes }: ProxyOptions): Promise<ProxyResults> {
  await using subjects = new Subjects();
  const node = await newerNode();
  const direct = await subjects.startUpstream();
  const newer = await subjects.startProxy(names.newer, { node, keys: 1 });
  const others = [
    await subjects.startProxy(names.older, { node: process.execPath, keys: 1 }),
    await subjects.startHaproxy(),
    await subjects.startNginx(),
    await subjects.startEnvoy(),
  ].filter((subject): subject is Subject => subject !== undefined);
  const all = [newer, ...others];
  const run = async <T>(part: Part, one: () => Promise<T>): Promise<T | undefined> => {
    if (!only.has(part)) return undefined;
    const start = performance.now();
    const result = await one();
    console.error(`${part}: ${((performance.now() - start) / 1_000).toFixed(0)} s`);
    return result;
  };
  const small = await run("small", () => measureCpu(all, smallBodies(scale), rounds));
  const calls = await run("calls", () => measureCpu(all, unaryCalls(scale), rounds));
  const large = await run("large", () => measureCpu(all, largeBodies(scale), rounds));
  // Many short turns: with a few long ones, a slow moment of the machine changes the median of one subject only.
  const paced = { rounds: 6 * Math.max(3, Math.ceil(rounds / 2)), requests: 250 };
  const smallLatency = await run("latency", () => measureLatency([direct, ...all], smallBodies(scale), paced));
  const callLatency = await run("latency", () => measureLatency([direct, ...all], unaryCalls(scale), paced));
  const keys = await run("keys", async () => {
    const many = await subjects.startProxy(names.many, { node, keys: 20_000 });
    const cpu = await measureCpu([newer, many], smallBodies(scale), rounds * 2);
    await setTimeout(restMs);
    return { cpu, memory: rssMib(many) };
  });
  const idle = await run("idle", async () =>
    measureIdle(await subjects.startProxy("idle", { node, keys: 1 }), connections),
  );
  const mixed = await run("mixed", async () =>
    measureMixed(await subjects.startProxy("mixed", { node, keys: 100 }), mixedMinutes),
  );
  return { small, calls, large, smallLatency, callLatency, keys: keys?.cpu, keysMemory: keys?.memory, idle, mixed };
}

function readOptions(words: readonly string[]): ProxyOptions {
  const { values } = parseBenchOptions(() =>
    parseArgs({
      args: [...words],
      options: {
        only: { type: "string" },
        rounds: { type: "string" },
        scale: { type: "string" },
        connections: { type: "string" },
        minutes: { type: "string" },
        record: { type: "boolean" },
        check: { type: "boolean" },
      },
    }),
  );
  const number = (name: "rounds" | "scale" | "connections" | "minutes", otherwise: number, max: number): number => {
    const text = values[name];
    return text === undefined ? otherwise : parseIntegerOption(`--${name}`, text, { min: 1, max });
  };
  const only = (values.only?.split(",") ?? (values.check === true ? checkedParts : parts)).map((text) => {
    const part = parts.find((each) => each === text);
    if (part === undefined)
      throw new UsageError(`--only has ${JSON.stringify(text)}; the parts are ${parts.join(", ")}.`);
    return part;
  });
  return {
    only: new Set(only),
    rounds: number("rounds", 7, 1_000),
    scale: number("scale", 1, 1_000),
    connections: number("connections", 10_000, 100_000),
    mixedMinutes: number("minutes", 1, 24 * 60),
    isRecorded: values.record === true,
    isChecked: values.check === true,
  };
}
