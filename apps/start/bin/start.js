// Entry point of `npm start`: compiles what changed, then starts the program. Plain JavaScript, because it runs before the build.
//
// The compiler takes ten seconds on a fast machine and a minute on a busy one, so the first line is printed before it starts
// and progress is shown per project.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "../../..");
const isTerminal = process.stdout.isTTY === true;

/** Signals by which users and terminals end a program. The program itself handles them once it runs. */
const stopSignals = ["SIGINT", "SIGTERM", "SIGHUP"];

/**
 * Ends a child process and the processes that it has started.
 *
 * By SIGKILL: the compiler handles SIGTERM, and often finishes the whole build first. It writes the record of a project last, so
 * the next build compiles an interrupted project again.
 */
function endGroup(child) {
  if (process.platform === "win32") child.kill();
  else if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGKILL");
}

/** Runs the compiler and returns its exit code. A signal ends the compiler and this process. */
async function compile() {
  const startedAt = performance.now();
  process.stdout.write(isTerminal ? "Compiling" : "Compiling (up to a minute on the first start)\n");
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  // In a process group of its own, because the compiler is a process that starts another one: a signal ends the whole group.
  const child = spawn(process.execPath, [tsc, "-b", "apps/start", "--verbose"], {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
    detached: process.platform !== "win32",
  });
  const exited = once(child, "exit");
  const stop = (signal) => {
    if (isTerminal) process.stdout.write("\n");
    endGroup(child);
    process.exit(128 + constants.signals[signal]);
  };
  for (const signal of stopSignals) process.on(signal, stop);
  let projects = 0;
  let built = 0;
  const problems = [];
  for await (const line of createInterface({ input: child.stdout })) {
    if (/^\s+\* /.test(line)) projects += 1;
    else if (/Building project/.test(line)) {
      built += 1;
      // Projects compile in parallel, so this shows a count instead of a project name.
      if (isTerminal) process.stdout.write(`\r\u001b[KCompiling ${built} of ${projects} projects`);
    } else if (/error TS\d+/.test(line)) problems.push(line);
  }
  const [code] = await exited;
  for (const signal of stopSignals) process.off(signal, stop);
  if (isTerminal) process.stdout.write("\r\u001b[K");
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  if (code !== 0) process.stderr.write("npm start: compilation failed. Run npm ci and retry.\n");
  else if (built > 0) {
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
    process.stdout.write(`Compiled ${built} projects in ${seconds} s\n`);
  }
  return code ?? 1;
}

const code = await compile();
if (code === 0) {
  // The page of the dashboard is one script, which the compiler does not write.
  const { buildPage } = await import("../../dashboard/bin/build-page.js");
  await buildPage();
  await import("../dist/main.js");
} else process.exitCode = code;
