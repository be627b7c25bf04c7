// Runs a suite of compiled tests, a process per file, and prints only what a person needs:
// each failure with its place and cause, files that are not silent, and one line of counts.
//
//   node tools/dev/dist/test.js [unit|e2e] [part of a path ...] [--times]
//
// With --times it also names the slowest files.

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findTests, isSuite, type Suite } from "./find-tests.ts";
import { type Outcome, runFiles } from "./run-files.ts";
import { filesToRunAgain, joined, testsOf } from "./second-run.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const words = process.argv.slice(2).filter((word) => word !== "--times");
const [first = "unit", ...rest] = words;
const suite: Suite = isSuite(first) ? first : "unit";
const filters = isSuite(first) ? rest : words;

const files = findTests(root, suite, filters);
if (files.length === 0) {
  console.error(
    `No ${suite} test matches ${filters.join(", ") || "anything"}. Paths look like packages/core/src/….test.ts.`,
  );
  process.exit(1);
}

// Tests run the modules themselves and not the bundles, so that a stack trace names the file to look at.
process.env["NODE_OPTIONS"] = `${process.env["NODE_OPTIONS"] ?? ""} --conditions=development`.trim();

const started = process.hrtime.bigint();
report(await withSecondRun(await runAll(files)));

function runAll(compiled: readonly string[]): Promise<Outcome> {
  return runFiles(
    compiled.map((file) => join(root, file)),
    {
      root,
      concurrency: suite === "e2e" ? 1 : 2,
      timeout: suite === "e2e" ? 20 * 60_000 : 5 * 60_000,
      // A suite on a real Kubernetes says what takes long, such as a first build.
      ...(suite === "e2e" && { onPrint: (text: string) => void process.stderr.write(text) }),
      onFailure: ({ name, file, cause }) => console.error(`\n✖ ${name} (${file})\n${indent(cause)}`),
    },
  );
}

async function withSecondRun(outcome: Outcome): Promise<Outcome> {
  const again = filesToRunAgain(outcome);
  const tests = again.length === 0 ? [] : findTests(root, suite, again.map(testsOf));
  if (tests.length === 0) return outcome;
  console.error(`\nrunning again, to tell a fault from bad luck: ${again.join(", ")}`);
  const both = joined(outcome, await runAll(tests), again);
  for (const { name, file } of both.lucky) console.log(`passed only on its second run: ${name} (${file})`);
  return both;
}

function report({ passed, failures, skips, printed, times }: Outcome): void {
  let failed = failures.length;
  for (const [file, text] of printed) {
    // A warning about an experiment of Node's is Node's noise, not the test's.
    if (/ExperimentalWarning/.test(text)) continue;
    failed += 1;
    console.error(`\n✖ ${file} printed something; a passing test is silent:\n${indent(text.slice(0, 4000))}`);
  }
  for (const { text } of skips) console.log(`skipped  ${text}`);
  if (process.argv.includes("--times"))
    for (const [name, ms] of [...times].toSorted(([, a], [, b]) => b - a).slice(0, 25))
      console.log(`${(ms / 1000).toFixed(1).padStart(6)} s  ${name}`);
  const seconds = Number(process.hrtime.bigint() - started) / 1e9;
  const count = [...passed.values()].reduce((sum, one) => sum + one, 0);
  console.log(`${files.length} ${suite} test files in ${seconds.toFixed(1)} s`);
  console.log(`${count} passed, ${failed} failed, ${skips.length} skipped`);
  process.exitCode = failed > 0 || count === 0 ? 1 : 0;
}

function indent(text: string): string {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => `    ${line}`)
    .join("\n");
}
