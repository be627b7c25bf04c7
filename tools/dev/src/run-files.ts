import { relative } from "node:path";
import { run } from "node:test";
import { inspect } from "node:util";

/** A test that did not pass, and why. */
export interface Failure {
  readonly name: string;
  /** The source file, as a path below the root; empty when it is not known. */
  readonly file: string;
  readonly cause: string;
}

/** What came of running some test files. */
export interface Outcome {
  /** How many tests passed, by source file. */
  readonly passed: ReadonlyMap<string, number>;
  readonly failures: readonly Failure[];
  /** Tests that were not run, with the reason. */
  readonly skips: readonly { readonly file: string; readonly text: string }[];
  /** What the files printed, by source file. */
  readonly printed: ReadonlyMap<string, string>;
  /** How long each source file took, in milliseconds. */
  readonly times: ReadonlyMap<string, number>;
}

/** How to run test files. */
export interface RunFilesOptions {
  /** The folder that paths are told below. */
  readonly root: string;
  /** How many files run at once. */
  readonly concurrency: number;
  /** After how many milliseconds a file is given up. */
  readonly timeout: number;
  /** Called with what a file prints, as it does; without it the text is kept. */
  readonly onPrint?: (text: string) => void;
  /** Called with each failure, as it happens. */
  readonly onFailure: (failure: Failure) => void;
}

/** Runs compiled test files, a process each, and gathers what came of them. */
export function runFiles(
  files: readonly string[],
  { root, concurrency, timeout, onPrint, onFailure }: RunFilesOptions,
): Promise<Outcome> {
  const passed = new Map<string, number>();
  const failures: Failure[] = [];
  const skips: { file: string; text: string }[] = [];
  const printed = new Map<string, string>();
  const times = new Map<string, number>();
  const sourceOf = (file: string | undefined): string =>
    file === undefined ? "" : relative(root, file).replace("/dist/", "/src/").replace(/\.js$/, ".ts");

  const stream = run({ files: [...files], concurrency, timeout });

  stream.on("test:pass", (event) => {
    const file = sourceOf(event.file);
    if (event.nesting === 0) times.set(file, (times.get(file) ?? 0) + event.details.duration_ms);
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
    const failure = {
      name: event.name,
      file: sourceOf(event.file),
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

  return new Promise((resolve) => {
    stream.on("end", () => resolve({ passed, failures, skips, printed, times }));
    stream.resume();
  });
}

/** Whether the event stands for a test file as a whole rather than for a test in it. */
function isWholeFile(event: { name: string; nesting: number }): boolean {
  return event.nesting === 0 && event.name.endsWith(".test.js");
}
