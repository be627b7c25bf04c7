import { appendFileSync } from "node:fs";
import { after, describe, mock } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { inspect } from "node:util";
import { type CostNote, costsVariable } from "./costs.ts";
import { changes, readState, waitForHandles } from "./process-state.ts";

/** Options of {@link runBatch}. */
export interface BatchOptions {
  /** A file fails if handles that it opened are still open this long after its last test. */
  readonly handlesCloseMs: number;
}

/**
 * Runs compiled test files in this process, one after the other, each as a suite that is named by its path.
 *
 * Saves the start of a process and the loading of modules per file. In exchange a file must leave the process as it was:
 * the suite of a file fails if the file prints, changes global state, leaves handles open, or throws after its tests ended.
 */
export async function runBatch(files: readonly string[], { handlesCloseMs }: BatchOptions): Promise<void> {
  const output = captureOutput();
  const errors = captureErrors();
  for (const file of files) {
    // Lets the reporter write the events of the file before, so that the runner knows where a blocking file was reached.
    await nextTurn();
    const cpu = process.cpuUsage();
    await describe(file, async () => {
      await nextTurn();
      // Read here, because node:test adds its listeners when the first suite starts.
      const state = readState();
      await import(pathToFileURL(file).href);
      // Registered last, so this hook runs after the file's own hooks.
      after(async () => {
        mock.reset();
        const open = await waitForHandles(state.open, handlesCloseMs);
        const problems = [...open, ...changes(state, readState()), ...errors.take(), ...printed(output.take())];
        if (problems.length > 0) throw new Error(problems.join("\n"));
      });
    });
    noteCosts(file, process.cpuUsage(cpu));
  }
}

/**
 * Collects errors that no test caught. node:test fails the test that runs, or, if the test has ended, sets only the exit
 * code of the process and prints a diagnostic when the last file has ended.
 */
function captureErrors(): { take(): string[] } {
  const errors: string[] = [];
  const add = (error: unknown): void => void errors.push(`throws outside of a test: ${inspect(error)}`);
  process.on("uncaughtException", add);
  process.on("unhandledRejection", add);
  return { take: () => errors.splice(0) };
}

function printed(text: string): string[] {
  // A warning about an experiment of Node's is Node's noise, not the test's.
  if (text === "" || text.includes("ExperimentalWarning")) return [];
  return [`printed something; a passing test is silent:\n${text.slice(0, 4000)}`];
}

/**
 * Collects what tests write to stdout and stderr.
 *
 * In a process started by `run` of node:test, stdout also carries the events of the tests: as bytes, where tests print text.
 */
function captureOutput(): { take(): string } {
  let text = "";
  for (const stream of [process.stdout, process.stderr]) {
    const write = stream.write.bind(stream);
    const capture = (chunk: unknown, ...rest: unknown[]): boolean => {
      if (typeof chunk !== "string") return Reflect.apply(write, stream, [chunk, ...rest]) === true;
      text += chunk;
      for (const each of rest)
        if (typeof each === "function") queueMicrotask(() => void Reflect.apply(each, undefined, []));
      return true;
    };
    Object.defineProperty(stream, "write", { value: capture, configurable: true, writable: true });
  }
  return {
    take: () => {
      const taken = text;
      text = "";
      return taken;
    },
  };
}

function noteCosts(file: string, { user, system }: NodeJS.CpuUsage): void {
  const notes = process.env[costsVariable];
  if (notes === undefined) return;
  const note: CostNote = { file, cpuMs: (user + system) / 1000 };
  appendFileSync(notes, `${JSON.stringify(note)}\n`);
}
