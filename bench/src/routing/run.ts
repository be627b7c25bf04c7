import { parseArgs } from "node:util";
import { median } from "../harness/measure.ts";
import { parseBenchOptions } from "../harness/options.ts";
import { formatDuration } from "../harness/report.ts";
import { type CpuTimes, formatLimit, limitsOf } from "./limits.ts";
import { type Subject, type SubjectName, subjects } from "./subjects.ts";

const rounds = 9;
/** CPU time of one measurement; the resolution of the counter is below a millisecond. */
const batchCpuMs = 50;

/** Measures the CPU time of decisions and prints it. */
export function runRouting(words: readonly string[]): void {
  const { check = false } = parseBenchOptions(() =>
    parseArgs({ args: [...words], options: { check: { type: "boolean" } } }),
  ).values;
  const times = measureAll();
  console.log("| work | CPU per operation |");
  console.log("| --- | ---: |");
  for (const [name, ns] of Object.entries(times)) console.log(`| ${name} | ${formatDuration(ns)} |`);
  const limits = limitsOf(times);
  console.log(`\n${limits.map(formatLimit).join("\n")}`);
  if (check && limits.some(({ value, max }) => value > max)) process.exitCode = 1;
}

/** Measures all subjects in turns, so that a slow moment of the machine affects all, and returns their medians. */
function measureAll(): CpuTimes {
  const names = Object.keys(subjects) as SubjectName[];
  const runners = names.map((name) => ({
    name,
    run: subjects[name],
    calls: callsPerBatch(subjects[name]),
    ns: [] as number[],
  }));
  for (let round = 0; round < rounds; round += 1) {
    for (const { run, calls, ns } of runners) ns.push((cpuMs(run, calls) * 1e6) / calls);
  }
  return Object.fromEntries(runners.map(({ name, ns }) => [name, median(ns)])) as CpuTimes;
}

/** Warms a subject up and returns the number of calls that take long enough to measure. */
function callsPerBatch(run: Subject): number {
  for (let calls = 1; ; calls *= 2) {
    const ms = cpuMs(run, calls);
    if (ms >= batchCpuMs) return Math.max(1, Math.round((calls * batchCpuMs) / ms));
  }
}

/** Sink for results, so that V8 cannot prove them unused. */
const sink: { last: unknown } = { last: undefined };

function cpuMs(run: Subject, calls: number): number {
  const before = process.cpuUsage();
  for (let n = 0; n < calls; n += 1) sink.last = run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
