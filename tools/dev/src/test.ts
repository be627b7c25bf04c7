// Runs suites of compiled tests, light unit tests in shared processes and other files in processes of their own, and prints only what a person needs: each failure with its position
// and cause, files that are not silent, and one line of counts. See docs/internals/testing.md.
//
//   node tools/dev/dist/test.js [unit|integration|e2e] [part of a path ...] [--times] [--full] [--jobs=N]
//
// Without a suite: unit and integration tests whose path contains one of the parts.
//
// --times   print wall time, CPU time and waiting for control planes, per file and per suite
// --full    run random tests with their full volume (sets HOMEOSTAT_FULL)
// --jobs=N  number of files that run at the same time; default 2, and 3 for e2e, where files mostly wait

import { chmodSync, mkdtempSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { costsOf, costsVariable, costTable, readNotes } from "./costs.ts";
import {
  integrationFull,
  integrationSamples,
  isLong,
  isWaiting,
  longestFirst,
  readBudgets,
  readQuietFiles,
  unitSamples,
} from "./budgets.ts";
import { findTests, isSuite, sourceOf as sourceOfCompiled, type Suite } from "./find-tests.ts";
import { runVariable, watchProcesses } from "./left-processes.ts";
import { needsOwnProcess } from "./plan-processes.ts";
import { type Failure, type Outcome, runFiles } from "./run-files.ts";
import { startedProcesses } from "./proc.ts";
import { ownSharedCluster } from "./shared-cluster.ts";
import { filesToRunAgain, joined, testsOf } from "./second-run.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const words = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const flags = process.argv.slice(2).filter((word) => word.startsWith("--"));
const [first = "", ...rest] = words;
const chosen: readonly Suite[] = isSuite(first) ? [first] : ["unit", "integration"];
const isE2e = chosen.includes("e2e");
const filters = isSuite(first) ? rest : words;
const unknown = flags.filter((flag) => !/^--(times|full|jobs=[1-9]\d*)$/.test(flag));
if (unknown.length > 0) fail(`Unknown flag ${unknown.join(", ")}. Flags are --times, --full and --jobs=N.`);
const jobs = Number(flags.findLast((flag) => flag.startsWith("--jobs="))?.slice("--jobs=".length) ?? 0);

const files = longestFirst(find(filters), readBudgets(root));
if (files.length === 0)
  fail(
    `No ${chosen.join(" or ")} test matches ${filters.join(", ") || "anything"}. Paths look like packages/core/src/….test.ts.`,
  );

// Tests run the modules themselves and not the bundles, so that a stack trace names the file to look at.
const options = [process.env["NODE_OPTIONS"], "--conditions=development"];
// What test files of one run share, and their temporary files. It is removed when the run ends, also when it is killed.
const folder = mkdtempSync(join(tmpdir(), "homeostat-tests-"));
// Programs that tests start as other users find their files.
chmodSync(folder, 0o711);
const watchdog = watchProcesses(folder);
process.env[runVariable] = folder;
process.env["TMPDIR"] = folder;
const costFile = join(folder, "costs.jsonl");
if (flags.includes("--times")) {
  process.env[costsVariable] = costFile;
  options.push(`--import=${new URL("./note-costs.js", import.meta.url).href}`);
}
process.env["NODE_OPTIONS"] = options.filter((option) => option !== undefined).join(" ");
const isFull = flags.includes("--full");
if (isFull) process.env["HOMEOSTAT_FULL"] = "1";
for (const [name, value] of Object.entries(volumes())) process.env[name] ??= value;

/** Files with their full volume may take this many times longer. */
const fullFactor = 8;
/** Progress is shown this often. */
const progressMs = 10_000;
/** Number of unit test files that share a process at most. More save little, and leave jobs without work at the end. */
const filesPerUnitProcess = 25;
const started = performance.now();
const quiet = readQuietFiles(root);
// A signal that was sent to this process alone must not leave test files running, nor the programs that they have started.
const stopped = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    const started = startedProcesses();
    stopped.abort();
    for (const pid of started) endProcess(pid);
    process.exit(128 + constants.signals[signal]);
  });
}
const shared = isE2e ? ownSharedCluster() : undefined;
const outcome = await withSecondRun(await runAll(files, isE2e ? undefined : filesPerUnitProcess));
await shared?.stop();
report(outcome);
await watchdog.stop();

async function runAll(compiled: readonly string[], filesPerProcess: number | undefined): Promise<Outcome> {
  let ended = 0;
  const progress = setInterval(
    () => console.error(`${ended} of ${compiled.length} test files after ${seconds(started)} s`),
    progressMs,
  );
  const ran = await runFiles(
    compiled.map((file) => join(root, file)),
    {
      root,
      folder,
      ...(filesPerProcess !== undefined && { filesPerProcess }),
      signal: stopped.signal,
      isAlone: (file) => isLong(sourceOf(file)) || needsOwnProcess(file),
      concurrency: jobs || (isE2e ? 3 : 2),
      isWaiting: (file) => jobs !== 1 && isWaiting(sourceOf(file)),
      isQuiet: (file) => quiet.has(sourceOf(file)),
      timeout: (isE2e ? 20 : 15) * 60_000 * (isFull ? fullFactor : 1),
      // A suite on a real Kubernetes says what takes long, such as a first build.
      ...(isE2e && { onPrint: (text: string) => void process.stderr.write(text) }),
      onFailure: (failure) => console.error(`\n✖ ${failure.name} (${positionOf(failure)})\n${indent(failure.cause)}`),
      onEnd: () => {
        ended += 1;
      },
    },
  );
  clearInterval(progress);
  return ran;
}

async function withSecondRun(firstRun: Outcome): Promise<Outcome> {
  const again = filesToRunAgain(firstRun);
  const tests = again.length === 0 ? [] : find(again.map(testsOf));
  if (tests.length === 0) return firstRun;
  console.error(`\nrunning again, to tell a fault from a race: ${again.join(", ")}`);
  const both = joined(firstRun, await runAll(tests, undefined), again);
  // The suite passes, but each of these is a bug of the test or of the product.
  for (const failure of both.lucky)
    console.log(`DEFECT: passed only on its second run: ${failure.name} (${positionOf(failure)})`);
  if (both.lucky.length > 0) console.log(`${both.lucky.length} defects: tests that passed only on their second run`);
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
  if (flags.includes("--times"))
    console.log(costTable(costsOf(times, readNotes(costFile), sourceOf), readBudgets(root)));
  const count = [...passed.values()].reduce((sum, one) => sum + one, 0);
  console.log(`${files.length} ${chosen.join(" and ")} test files in ${seconds(started)} s`);
  console.log(`${count} passed, ${failed} failed, ${skips.length} skipped`);
  process.exitCode = failed > 0 || count === 0 ? 1 : 0;
}

function endProcess(pid: number): void {
  try {
    process.kill(pid);
  } catch {
    // It has exited meanwhile.
  }
}

function find(parts: readonly string[]): string[] {
  return chosen.flatMap((suite) => findTests(root, suite, parts));
}

/** Returns the volumes of random tests. Variables that the caller has set override them. */
function volumes(): Readonly<Record<string, string>> {
  if (isE2e) return {};
  // `test:only` runs both suites while a developer changes the files, so it uses the smaller samples of the tests themselves.
  const integration = chosen.includes("unit") ? {} : integrationSamples;
  return isFull ? integrationFull : { ...unitSamples, ...integration };
}

function positionOf({ file, line }: Failure): string {
  return line === undefined ? file : `${file}:${line}`;
}

function sourceOf(compiled: string): string {
  return sourceOfCompiled(relative(root, compiled));
}

function seconds(sinceMs: number): string {
  return ((performance.now() - sinceMs) / 1000).toFixed(1);
}

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}

function indent(text: string): string {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => `    ${line}`)
    .join("\n");
}
