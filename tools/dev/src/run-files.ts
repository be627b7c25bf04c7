import { relative } from "node:path";
import { run } from "node:test";
import { inspect } from "node:util";

/** A failed test and its cause. */
export interface Failure {
  readonly name: string;
  /** Source file, relative to the root; empty when it is not known. */
  readonly file: string;
  readonly cause: string;
}

/** Results of a run of test files. */
export interface Outcome {
  /** Number of passed tests by source file. */
  readonly passed: ReadonlyMap<string, number>;
  readonly failures: readonly Failure[];
  /** Skipped tests, with the reason. */
  readonly skips: readonly { readonly file: string; readonly text: string }[];
  /** Output by source file. */
  readonly printed: ReadonlyMap<string, string>;
  /** Duration in milliseconds by source file. */
  readonly times: ReadonlyMap<string, number>;
}

/** Options of {@link runFiles}. */
export interface RunFilesOptions {
  /** Folder that reported paths are relative to. */
  readonly root: string;
  /** Number of files that run in parallel. */
  readonly concurrency: number;
  /** Time limit per file in milliseconds. */
  readonly timeout: number;
  /** Called with output as it is printed; without it, output is collected in `printed`. */
  readonly onPrint?: (text: string) => void;
  /** Called with each failure as it happens. */
  readonly onFailure: (failure: Failure) => void;
}

/** Runs compiled test files, one process per file, and collects the results. */
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
    // A suite fails when one of its tests fails; that test is reported separately. A file fails by itself only when it cannot run.
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

/** Reports whether the event is for a whole test file rather than for a test in it. */
function isWholeFile(event: { name: string; nesting: number }): boolean {
  return event.nesting === 0 && event.name.endsWith(".test.js");
}
