import { relative } from "node:path";
import { run } from "node:test";
import { inspect } from "node:util";
import { sourcePosition } from "./source-position.ts";

/** A test that did not pass, and why. */
export interface Failure {
  readonly name: string;
  /** The source file, as a path below the root; empty if unknown. */
  readonly file: string;
  /** The line of the test in the source file, if known. */
  readonly line?: number;
  readonly cause: string;
}

/** The results of a list of test files. */
export interface Outcome {
  /** Number of passed tests by source file. */
  readonly passed: ReadonlyMap<string, number>;
  readonly failures: readonly Failure[];
  /** Tests that were not run, with the reason. */
  readonly skips: readonly { readonly file: string; readonly text: string }[];
  /** Output of the files, by source file. */
  readonly printed: ReadonlyMap<string, string>;
  /** Wall time of each source file in milliseconds, from the start of its process to the end. */
  readonly times: ReadonlyMap<string, number>;
}

/** Options of {@link runFiles}. */
export interface RunFilesOptions {
  /** Reported paths are relative to this folder. */
  readonly root: string;
  /** Number of files that run at the same time. */
  readonly concurrency: number;
  /** Time limit of one file in milliseconds. */
  readonly timeout: number;
  /** True for files that depend on real time. They run after all others, one at a time, on a machine that has nothing else to do. */
  readonly isQuiet?: (file: string) => boolean;
  /** Called with the output of a file as it is printed; without it the output is collected in {@link Outcome.printed}. */
  readonly onPrint?: (text: string) => void;
  /** Called with each failure as it happens. */
  readonly onFailure: (failure: Failure) => void;
  /** Called when a file has ended. */
  readonly onEnd?: (source: string) => void;
}

type Collected = {
  passed: Map<string, number>;
  failures: Failure[];
  skips: { file: string; text: string }[];
  printed: Map<string, string>;
  times: Map<string, number>;
};

/** Runs compiled test files in the given order, a process each, and collects their results. */
export async function runFiles(files: readonly string[], options: RunFilesOptions): Promise<Outcome> {
  const { concurrency, isQuiet = () => false } = options;
  const all: Collected = { passed: new Map(), failures: [], skips: [], printed: new Map(), times: new Map() };
  const shared = files.filter((file) => !isQuiet(file));
  const waiting = shared[Symbol.iterator]();
  const work = async (): Promise<void> => {
    for (const file of waiting) await runFile(file, options, all);
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  for (const file of files.filter(isQuiet)) await runFile(file, options, all);
  return all;
}

/**
 * Runs one file. `run` of node:test could run the whole list, but it does not report when a file ends, and cannot keep
 * a file apart from the others.
 */
function runFile(path: string, { root, timeout, onPrint, onFailure, onEnd }: RunFilesOptions, all: Collected) {
  const { passed, failures, skips, printed, times } = all;
  const sourceOf = (file: string | undefined): string =>
    file === undefined ? "" : relative(root, file).replace("/dist/", "/src/").replace(/\.js$/, ".ts");
  const source = sourceOf(path);
  const startedMs = performance.now();
  const stream = run({ files: [path], concurrency: 1, timeout });

  stream.on("test:pass", (event) => {
    const file = sourceOf(event.file);
    if (isWholeFile(event) || event.details.type === "suite") return;
    if (event.skip !== undefined || event.todo !== undefined)
      skips.push({ file, text: `${event.name}: ${String(event.skip ?? event.todo)}` });
    else passed.set(file, (passed.get(file) ?? 0) + 1);
  });

  stream.on("test:fail", (event) => {
    // A suite fails because a test in it did; that test is reported by itself. A file fails so only when it cannot run.
    const { error } = event.details;
    const cause: unknown = error.cause ?? error;
    if ("failureType" in error && error.failureType === "subtestsFailed") return;
    const line = sourcePosition(event);
    const failure = {
      name: event.name,
      file: sourceOf(event.file),
      ...(line === undefined ? {} : { line }),
      cause: cause instanceof Error ? (cause.stack ?? cause.message) : inspect(cause),
    };
    failures.push(failure);
    onFailure(failure);
  });

  for (const type of ["test:stdout", "test:stderr"] as const) {
    stream.on(type, ({ file, message }) => {
      if (onPrint !== undefined) return onPrint(message);
      const name = sourceOf(file);
      printed.set(name, (printed.get(name) ?? "") + message);
    });
  }

  return new Promise<void>((resolve) => {
    stream.on("end", () => {
      times.set(source, performance.now() - startedMs);
      onEnd?.(source);
      resolve();
    });
    stream.resume();
  });
}

/** Reports whether the event is about a test file as a whole rather than about a test in it. */
function isWholeFile(event: { name: string; nesting: number }): boolean {
  return event.nesting === 0 && event.name.endsWith(".test.js");
}
