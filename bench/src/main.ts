// Runs benchmarks and prints a small table for each.
//
//   npm run bench -- [filter ...] [--json FILE] [--rounds N]

import { appendFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { parseArgs } from "node:util";
import { findCases, type FoundCase } from "./harness/find.ts";
import { measure } from "./harness/measure.ts";
import { formatCase } from "./harness/report.ts";

const help = `Usage: npm run bench -- [filter ...] [--json FILE] [--rounds N]

  filter       run only cases whose "file: name" contains one of these texts, for example core/equality
  --json FILE  also write the numbers to FILE
  --rounds N   how often each subject is timed (default 9, at least 3)
  --list       name the cases and stop
  --help       this text

Subjects of a case take turns in one process; the table shows the median time per operation and its ratio to ours.`;

async function main(): Promise<void> {
  const { filters, json, rounds, wantsHelp, wantsList } = readArguments();
  if (wantsHelp) return console.log(help);
  const all = await findCases();
  const chosen = all.filter((found) => filters.length === 0 || filters.some((filter) => label(found).includes(filter)));
  if (chosen.length === 0) {
    throw new UsageError(`No benchmark matches ${filters.join(", ")}. There are:\n${all.map(label).join("\n")}`);
  }
  if (wantsList) return console.log(chosen.map(label).join("\n"));

  if (json !== undefined) checkWritable(json);
  const results = [];
  let file: string | undefined;
  for (const found of chosen) {
    if (found.file !== file) console.log(`\n${found.file}`);
    ({ file } = found);
    const measurements = await measure(found.benchCase, rounds);
    console.log(`${formatCase(found.benchCase.name, measurements)}\n`);
    results.push({ file, name: found.benchCase.name, measurements });
  }
  if (json !== undefined) {
    const machine = { node: process.version, cpu: cpus()[0]?.model ?? "unknown", cores: cpus().length };
    writeFileSync(json, `${JSON.stringify({ machine, rounds, results }, null, 2)}\n`);
  }
}

function label({ file, benchCase }: FoundCase): string {
  return `${file}: ${benchCase.name}`;
}

/** The command line was wrong; its message is all the user needs to see. */
class UsageError extends Error {}

/** Before the minutes of measuring, not after. */
function checkWritable(file: string): void {
  try {
    appendFileSync(file, "");
  } catch (error) {
    throw new UsageError(`--json cannot write ${file}: ${String(error)}`, { cause: error });
  }
}

function readArguments() {
  let parsed;
  try {
    parsed = parseArgs({
      allowPositionals: true,
      options: {
        json: { type: "string" },
        rounds: { type: "string", default: "9" },
        list: { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
    });
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : String(error)}\n\n${help}`, { cause: error });
  }
  const { json, rounds, list, help: wantsHelp } = parsed.values;
  if (!/^\d{1,4}$/.test(rounds) || Number(rounds) < 3) {
    throw new UsageError(`--rounds must be a whole number from 3 to 9999, not "${rounds}".`);
  }
  return { filters: parsed.positionals, json, rounds: Number(rounds), wantsHelp, wantsList: list };
}

try {
  await main();
} catch (error) {
  console.error(error instanceof UsageError ? error.message : error);
  process.exitCode = 1;
}
