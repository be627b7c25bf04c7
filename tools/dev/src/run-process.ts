import { writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { run } from "node:test";
import { inspect } from "node:util";
import { sourceOf } from "./find-tests.ts";
import type { Batch } from "./plan-processes.ts";
import type { Collected, Failure, RunFilesOptions } from "./run-files.ts";
import { type CompiledPosition, sourcePosition } from "./source-position.ts";

/** Time in milliseconds that a process has to start, in addition to the time limit of its first file. */
const startMs = 60_000;
/** Time in milliseconds that a file has to close its handles, unless the options say otherwise. */
const handlesCloseMsDefault = 20_000;
/** Time in milliseconds that a file has to end after an error that no test caught, unless the options say otherwise. */
const errorEndsMsDefault = 10_000;

const declaredLate =
  "Declared after the tests of the file have started. Declare all tests when the file is loaded; callbacks of `describe` are not async.";

/** A test event of node:test: about a test, a suite, or a whole file. */
interface TestEvent extends CompiledPosition {
  readonly name: string;
  readonly nesting: number;
}

/**
 * Runs the files of a batch in one process and returns the files that it did not reach, because a file before them ended it.
 *
 * `run` of node:test could run the whole list of files, but it does not report when a file ends, cannot keep a file apart
 * from the others, and always starts a process per file. Here it runs one program: a test file, or the {@link programOf} a batch,
 * in which each file is a suite named by its path.
 */
export async function runProcess(batch: Batch, options: RunFilesOptions, all: Collected): Promise<Batch> {
  const { root, timeout, handlesCloseMs = handlesCloseMsDefault, onPrint, onFailure, onEnd } = options;
  const sourceName = (file: string | undefined): string => (file === undefined ? "" : sourceOf(relative(root, file)));
  const program = programOf(batch, options);
  const isProgram = ({ name, nesting }: TestEvent): boolean => nesting === 0 && name === program;
  const isBatch = program !== batch[0];
  const isFile = ({ name, nesting }: TestEvent): boolean => nesting === 0 && isBatch && batch.includes(name);

  /** The tests that have started and not ended, by their nesting. */
  const running = new Map<number, TestEvent>();
  const ended = new Set<string>();
  const failed = new Set<string>();
  let current = batch[0] ?? "";
  let startedMs = performance.now();

  // The time limit of `run` is for its program, and this one is for each file.
  const limit = new Deadline(timeout + startMs, options.startTimer ?? startTimer);
  const stream = run({
    files: [program],
    concurrency: 1,
    signal: options.signal === undefined ? limit.signal : AbortSignal.any([limit.signal, options.signal]),
  });

  const fail = (failure: Omit<Failure, "file">, file: string | undefined): void => {
    failed.add(sourceName(file));
    const whole: Failure = { ...failure, file: sourceName(file) };
    all.failures.push(whole);
    onFailure(whole);
  };
  const end = (file: string): void => {
    ended.add(file);
    all.times.set(sourceName(file), performance.now() - startedMs);
    onEnd?.(sourceName(file));
  };

  stream.on("test:enqueue", (event) => {
    // Without tracking, node:test does not know the suite of a test that is declared late. It waits for the file, which may wait for it.
    if (event.nesting === 0 && isBatch && !isFile(event) && !isProgram(event))
      fail({ name: event.name, ...lineOf(event), cause: declaredLate }, current);
  });

  stream.on("test:dequeue", (event) => {
    if (isFile(event)) {
      current = event.name;
      startedMs = performance.now();
      limit.restart(timeout);
    } else if (!isProgram(event)) running.set(event.nesting, event);
  });

  stream.on("test:complete", (event) => {
    running.delete(event.nesting);
    if (!isFile(event)) return;
    end(event.name);
    // After the last file, only a handle that a file left open keeps the process alive; that file has failed.
    if (ended.size === batch.length) limit.restart(handlesCloseMs);
  });

  stream.on("test:pass", (event) => {
    if (isProgram(event) || isFile(event) || event.details.type === "suite") return;
    const file = sourceName(event.file);
    if (event.skip !== undefined || event.todo !== undefined)
      all.skips.push({ file, text: `${event.name}: ${String(event.skip ?? event.todo)}` });
    else all.passed.set(file, (all.passed.get(file) ?? 0) + 1);
  });

  stream.on("test:fail", (event) => {
    const { error } = event.details;
    // A suite fails because a test in it did; that test is reported by itself.
    if ("failureType" in error && error.failureType === "subtestsFailed") return;
    const cause: unknown = error.cause ?? error;
    const text = cause instanceof Error ? (cause.stack ?? cause.message) : inspect(cause);
    if (isFile(event)) fail({ name: sourceName(event.name), cause: text }, event.name);
    else if (!isProgram(event)) fail({ name: event.name, ...lineOf(event), cause: text }, event.file);
    // The program fails when it is killed, which is reported below, or by its exit code.
    else if (!limit.isReached) fail({ name: sourceName(current), cause: text }, current);
  });

  for (const type of ["test:stdout", "test:stderr"] as const) {
    stream.on(type, ({ message }) => {
      if (onPrint !== undefined) return onPrint(message);
      const name = sourceName(current);
      all.printed.set(name, (all.printed.get(name) ?? "") + message);
    });
  }

  await new Promise<void>((resolve) => {
    stream.on("end", resolve);
    stream.resume();
  });
  limit.clear();

  if (isBatch && ended.size === batch.length) {
    const text = `Its process did not exit within ${handlesCloseMs / 1000} s after the last of its files.`;
    if (limit.isReached && failed.size === 0) fail({ name: sourceName(current), cause: text }, current);
    return [];
  }
  if (limit.isReached) {
    const innermost = [...running].toSorted(([a], [b]) => b - a)[0]?.[1];
    const text = `Did not end within ${timeout / 1000} s; its process was ended.`;
    fail({ name: innermost?.name ?? sourceName(current), ...lineOf(innermost), cause: text }, current);
  } else if (isBatch && !failed.has(sourceName(current))) {
    // By process.exit(0), or because the file waits for something that nothing keeps alive.
    fail({ name: sourceName(current), cause: "The process ended before the file did." }, current);
  }
  end(current);
  return batch.filter((file) => !ended.has(file));
}

function lineOf(event: TestEvent | undefined): { line?: number } {
  const line = event === undefined ? undefined : sourcePosition(event);
  return line === undefined ? {} : { line };
}

let programs = 0;

/** Returns the program of a process: a new program that runs the files of a batch, or without `filesPerProcess` the file itself. */
function programOf(batch: Batch, options: RunFilesOptions): string {
  const { folder, handlesCloseMs = handlesCloseMsDefault, errorEndsMs = errorEndsMsDefault } = options;
  const [first = ""] = batch;
  if (options.filesPerProcess === undefined) return first;
  programs += 1;
  const program = join(folder, `batch-${programs}.mjs`);
  const module = new URL("./start-batch.js", import.meta.url).href;
  const call = `startBatch(${JSON.stringify(batch)}, ${JSON.stringify({ handlesCloseMs, errorEndsMs })})`;
  writeFileSync(program, `import { startBatch } from ${JSON.stringify(module)};\nawait ${call};\n`);
  return program;
}

/** Calls a function after a time in milliseconds, unless the returned function is called before. */
export type StartTimer = (ms: number, run: () => void) => () => void;

const startTimer: StartTimer = (ms, run) => {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
};

/** A time limit that can be restarted, with a signal that aborts when it is reached. */
class Deadline {
  readonly #controller = new AbortController();
  readonly #startTimer: StartTimer;
  #stop: (() => void) | undefined;

  constructor(ms: number, start: StartTimer) {
    this.#startTimer = start;
    this.restart(ms);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get isReached(): boolean {
    return this.#controller.signal.aborted;
  }

  restart(ms: number): void {
    this.clear();
    this.#stop = this.#startTimer(ms, () => this.#controller.abort());
  }

  clear(): void {
    this.#stop?.();
  }
}
