// Runs a suite of compiled tests, a process per file, and prints only what a person needs:
// each failure with its place and cause, files that are not silent, and one line of counts.
//
//   node tools/dev/dist/test.js [unit|e2e] [part of a path ...] [--times]
//
// With --times it also names the slowest files.

import { join, relative } from "node:path";
import { run } from "node:test";
import { fileURLToPath } from "node:url";
import { inspect } from "node:util";
import { findTests, isSuite, type Suite } from "./find-tests.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const words = process.argv.slice(2).filter((word) => word !== "--times");
const [first = "unit", ...rest] = words;
const suite: Suite = isSuite(first) ? first : "unit";
const filters = isSuite(first) ? rest : words;
const times: { name: string; ms: number }[] = [];

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
const counts = { passed: 0, failed: 0, skipped: 0 };
const noisy = new Map<string, string>();
const skips: string[] = [];

const stream = run({
  files: files.map((file) => join(root, file)),
  concurrency: suite === "e2e" ? 1 : 2,
  timeout: suite === "e2e" ? 20 * 60_000 : 5 * 60_000,
});

stream.on("test:pass", (event) => {
  if (event.nesting === 0 && event.file !== undefined)
    times.push({ name: relative(root, event.file), ms: event.details.duration_ms });
  if (isWholeFile(event) || event.details.type === "suite") return;
  if (event.skip !== undefined || event.todo !== undefined) {
    counts.skipped += 1;
    skips.push(`${event.name}: ${String(event.skip ?? event.todo)}`);
  } else counts.passed += 1;
});

stream.on("test:fail", (event) => {
  // A suite fails because a test in it did; that test is reported by itself. A file fails so only when it cannot run.
  const { error } = event.details;
  const cause: unknown = error.cause ?? error;
  if ("failureType" in error && error.failureType === "subtestsFailed") return;
  counts.failed += 1;
  const place =
    event.file === undefined
      ? ""
      : ` (${relative(root, event.file).replace("/dist/", "/src/").replace(/\.js$/, ".ts")})`;
  console.error(
    `\n✖ ${event.name}${place}\n${indent(cause instanceof Error ? (cause.stack ?? cause.message) : inspect(cause))}`,
  );
});

for (const type of ["test:stdout", "test:stderr"] as const) {
  stream.on(type, ({ file, message }) => {
    // A suite on a real Kubernetes says what takes long, such as a first build.
    if (suite === "e2e") {
      process.stderr.write(message);
      return;
    }
    const name = relative(root, file ?? "unknown file");
    noisy.set(name, (noisy.get(name) ?? "") + message);
  });
}

stream.on("end", () => {
  for (const [file, text] of noisy) {
    // A warning about an experiment of Node's is Node's noise, not the test's.
    if (/ExperimentalWarning/.test(text)) continue;
    counts.failed += 1;
    console.error(`\n✖ ${file} printed something; a passing test is silent:\n${indent(text.slice(0, 4000))}`);
  }
  for (const skip of skips) console.log(`skipped  ${skip}`);
  if (process.argv.includes("--times")) {
    const sums = new Map<string, number>();
    for (const { name, ms } of times) sums.set(name, (sums.get(name) ?? 0) + ms);
    const slowest = [...sums].toSorted(([, a], [, b]) => b - a).slice(0, 25);
    for (const [name, ms] of slowest)
      console.log(
        `${(ms / 1000).toFixed(1).padStart(6)} s  ${name.replace("/dist/", "/src/").replace(/\.js$/, ".ts")}`,
      );
  }
  const seconds = Number(process.hrtime.bigint() - started) / 1e9;
  console.log(`${files.length} ${suite} test files in ${seconds.toFixed(1)} s`);
  console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  process.exitCode = counts.failed > 0 || counts.passed === 0 ? 1 : 0;
});

stream.resume();

/** Whether the event stands for a test file as a whole rather than for a test in it. */
function isWholeFile(event: { name: string; nesting: number }): boolean {
  return event.nesting === 0 && event.name.endsWith(".test.js");
}

function indent(text: string): string {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => `    ${line}`)
    .join("\n");
}
