import { appendFileSync } from "node:fs";
import { after, before, describe, mock } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { inspect } from "node:util";
import { type CostNote, costsVariable } from "./costs.ts";
import { processCpuMs } from "./process-cpu.ts";
import { changes, readState, waitForHandles } from "./process-state.ts";
import type { TestTracking } from "./test-tracking.ts";

/** Options of {@link runBatch}. */
export interface BatchOptions {
  /** A file fails if handles that it opened are still open this long after its last test. */
  readonly handlesCloseMs: number;
  /** After an error that no test caught, the process ends if the file has not ended this much later. */
  readonly errorEndsMs: number;
  /** Paused while tests run. */
  readonly tracking: TestTracking;
}

/**
 * Runs compiled test files in this process, one after the other, each as a suite that is named by its path.
 *
 * Saves the start of a process and the loading of modules per file. In exchange a file must leave the process as it was:
 * the suite of a file fails if the file prints, changes global state, leaves handles open, or throws after its tests ended.
 */
export async function runBatch(files: readonly string[], options: BatchOptions): Promise<void> {
  const { handlesCloseMs, errorEndsMs, tracking } = options;
  const output = captureOutput();
  const errors = captureErrors(errorEndsMs);
  // A file that runs alone may start processes, and the start of its own process belongs to its costs.
  const readCpuMs = files.length === 1 ? processCpuMs : ownCpuMs;
  for (const file of files) {
    // Lets the reporter write the events of the file before, so that the runner knows where a blocking file was reached.
    await nextTurn();
    const startMs = files.length === 1 ? 0 : readCpuMs();
    tracking.resume();
    await describe(file, async () => {
      // Runs when the tests of the file are declared, before its own hooks.
      before(() => tracking.pause());
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
    noteCosts(file, () => readCpuMs() - startMs);
  }
}

/**
 * Collects errors that no test caught. node:test does not know the test of such an error while the tracking is paused, and sets only the exit code of the
 * process. The file fails when its tests have ended. A test that waits for what the error prevented would wait for ever, so the process
 * ends with the error then; a second run of the file, in a process with tracking, names the test.
 */
function captureErrors(endsMs: number): { take(): string[] } {
  const errors: string[] = [];
  let timer: NodeJS.Timeout | undefined;
  const add = (error: unknown): void => {
    errors.push(`throws outside of a test: ${inspect(error)}`);
    // Without a reference: it must not count as a handle of the file.
    timer ??= setTimeout(() => {
      // As bytes, because text is captured.
      process.stderr.write(Buffer.from(`${errors.join("\n")}\n`));
      process.exit(1);
    }, endsMs).unref();
  };
  process.on("uncaughtException", add);
  process.on("unhandledRejection", add);
  return {
    take: () => {
      clearTimeout(timer);
      timer = undefined;
      return errors.splice(0);
    },
  };
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

function noteCosts(file: string, readMs: () => number): void {
  const notes = process.env[costsVariable];
  if (notes === undefined) return;
  const note: CostNote = { file, cpuMs: readMs() };
  appendFileSync(notes, `${JSON.stringify(note)}\n`);
}

function ownCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
