import { appendFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { parseArgs } from "node:util";
import { parseIntegerOption, UsageError } from "@homeostat/core";
import { findCases, type FoundCase } from "./harness/find.ts";
import { measure, type Measurement } from "./harness/measure.ts";
import { compare, formatComparison, loadRecorded, type RecordedRatios, saveRecorded } from "./harness/recorded.ts";
import { formatCase } from "./harness/report.ts";
import { yardstick, yardstickName } from "./harness/yardstick.ts";
import { parseBenchOptions } from "./harness/options.ts";

export const microHelp = `Usage: npm run bench -- [micro] [filter ...] [options]   microbenchmarks, seconds per case

  filter         run only cases whose "file: name" contains one of these texts, for example core/equality
  --json FILE    also write the results to FILE
  --rounds N     number of measurements per subject (default 9, at least 3)
  --list         list the cases and exit
  --check        compare with the ratios in bench/recorded.json; fail when a case got slower
  --tolerance N  allowed slowdown in percent (default 35)
  --record       write these ratios to bench/recorded.json
  --help         print this text

Subjects of a case take turns in one process; the table shows the median time per operation and its ratio to Homeostat's. The
recorded numbers are not times but ratios of Homeostat's subject to a reference workload of fixed size that runs in between.`;

/** Runs benchmarks in this process and prints a small table for each. */
export async function runMicro(args: readonly string[]): Promise<void> {
  const options = readArguments(args);
  const { filters, json, rounds } = options;
  const all = await findCases();
  const chosen = all.filter((found) => filters.length === 0 || filters.some((filter) => label(found).includes(filter)));
  if (chosen.length === 0) {
    throw new UsageError(
      `No benchmark matches ${filters.join(", ")}. Available benchmarks:\n${all.map(label).join("\n")}`,
    );
  }
  if (options.isListed) return console.log(chosen.map(label).join("\n"));

  if (json !== undefined) checkWritable(json);
  const results = [];
  const ratios: Record<string, number> = {};
  let file: string | undefined;
  for (const found of chosen) {
    if (found.file !== file) console.log(`\n${found.file}`);
    ({ file } = found);
    const { name, subjects, operationsPerCall = 1 } = found.benchCase;
    const isCompared = options.isChecked || options.isRecorded;
    const all = isCompared ? { ...subjects, [yardstickName]: yardstick } : subjects;
    const measurements = await measure({ ...found.benchCase, subjects: all }, rounds);
    const shown = measurements.filter(({ subject }) => subject !== yardstickName);
    console.log(`${formatCase(name, shown)}\n`);
    results.push({ file, name, measurements: shown });
    if (isCompared) ratios[label(found)] = ratioToYardstick(measurements, operationsPerCall);
    if (options.isChecked) checkGrowth(found, shown);
  }
  if (json !== undefined) {
    const machine = { node: process.version, cpu: cpus()[0]?.model ?? "unknown", cores: cpus().length };
    writeFileSync(json, `${JSON.stringify({ machine, rounds, results }, null, 2)}\n`);
  }
  if (options.isChecked) await check(chosen, ratios, options);
  if (options.isRecorded) saveRecorded(ratios);
}

/**
 * Returns the time of one operation of the first subject divided by that of the yardstick. Uses the fastest round of each, because
 * other work on the machine can only slow a round down.
 */
function ratioToYardstick(measurements: readonly Measurement[], operationsPerCall: number): number {
  const [ours] = measurements;
  const measure = measurements.find(({ subject }) => subject === yardstickName);
  // A call of the yardstick is one operation, whatever `operationsPerCall` says.
  return (ours?.minNs ?? Number.NaN) / ((measure?.minNs ?? Number.NaN) * operationsPerCall);
}

/** Fails when the first subject takes more time, compared with the last one, than the case allows. Uses the fastest rounds. */
function checkGrowth({ benchCase: { name, ratioMax } }: FoundCase, measurements: readonly Measurement[]): void {
  const ratio = (measurements[0]?.minNs ?? Number.NaN) / (measurements.at(-1)?.minNs ?? Number.NaN);
  if (ratioMax === undefined || ratio <= ratioMax) return;
  console.log(`GROWS: ${name}: ${ratio.toFixed(2)}× of the last subject, at most ${ratioMax}× are allowed`);
  process.exitCode = 1;
}

/** Compares with the recorded ratios. A slower case is measured up to two more times and fails only if it is slower every time. */
async function check(
  chosen: readonly FoundCase[],
  measured: RecordedRatios,
  { tolerance, rounds }: { tolerance: number; rounds: number },
): Promise<void> {
  const recorded = loadRecorded();
  let ratios = measured;
  for (let again = 0; again < 2; again += 1) {
    const suspects = new Set(compare(recorded, ratios, tolerance).worse.map(({ name }) => name));
    for (const found of chosen.filter((one) => suspects.has(label(one)))) {
      const name = label(found);
      console.log(`measuring again: ${name}`);
      const { benchCase } = found;
      const [ours = "", run = yardstick] = Object.entries(benchCase.subjects)[0] ?? [];
      const pair = { ...benchCase, subjects: { [ours]: run, [yardstickName]: yardstick } };
      const ratio = ratioToYardstick(await measure(pair, rounds), benchCase.operationsPerCall ?? 1);
      ratios = { ...ratios, [name]: Math.min(ratio, ratios[name] ?? ratio) };
    }
  }
  const comparison = compare(recorded, ratios, tolerance);
  console.log(formatComparison(comparison, tolerance));
  if (comparison.worse.length > 0) process.exitCode = 1;
}

function label({ file, benchCase }: FoundCase): string {
  return `${file}: ${benchCase.name}`;
}

/** Checks the output file before the minutes of measuring instead of after. */
function checkWritable(file: string): void {
  try {
    appendFileSync(file, "");
  } catch (error) {
    throw new UsageError(`--json cannot write ${file}: ${String(error)}`, { cause: error });
  }
}

function readArguments(args: readonly string[]) {
  const parsed = parseBenchOptions(() =>
    parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        json: { type: "string" },
        rounds: { type: "string", default: "9" },
        list: { type: "boolean", default: false },
        check: { type: "boolean", default: false },
        record: { type: "boolean", default: false },
        tolerance: { type: "string", default: "35" },
      },
    }),
  );
  const { json, rounds, list, check: isChecked, record: isRecorded, tolerance } = parsed.values;
  if (!/^\d{1,4}$/.test(tolerance))
    throw new UsageError(`--tolerance must be a percentage such as 35, not "${tolerance}".`);
  const filters = parsed.positionals[0] === "micro" ? parsed.positionals.slice(1) : parsed.positionals;
  return {
    filters,
    json,
    rounds: parseIntegerOption("--rounds", rounds, { min: 3, max: 9999 }),
    isListed: list,
    isChecked,
    isRecorded,
    tolerance: Number(tolerance) / 100,
  };
}
