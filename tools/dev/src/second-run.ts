import type { Failure, Outcome } from "./run-files.ts";

/** More broken files than this are no bad luck, and are not run again. */
const filesMax = 3;

/**
 * The source files that deserve a second run: those with a failure, when they are few.
 *
 * The parts of a real Kubernetes race each other on a busy machine, and a test that watches them may see an order that
 * it will not see again; a test that measures may be charged for what others do. A fault of ours fails twice.
 */
export function filesToRunAgain({ failures }: Outcome): string[] {
  const files = [...new Set(failures.map(({ file }) => file))];
  return files.length > filesMax || files.includes("") ? [] : files;
}

/** What names the tests of a source file: itself, or its folder when it is shared by the tests there. */
export function testsOf(file: string): string {
  return file.endsWith(".test.ts") ? file : file.slice(0, file.lastIndexOf("/") + 1);
}

/** Both runs as one: of a file that ran twice, the second counts; what failed only at first is told, never hidden. */
export function joined(first: Outcome, second: Outcome, again: readonly string[]): Outcome & { lucky: Failure[] } {
  // A file may be shared by tests that were not all run again: then the first run counts, too.
  const isFirst = (file: string): boolean => !again.includes(file) || testsIn(second, file) < testsIn(first, file);
  const keep = <T>(one: ReadonlyMap<string, T>, other: ReadonlyMap<string, T>): Map<string, T> =>
    new Map([...[...one].filter(([file]) => isFirst(file)), ...other]);
  const failures = [...first.failures.filter(({ file }) => isFirst(file)), ...second.failures];
  return {
    passed: keep(first.passed, second.passed),
    printed: keep(first.printed, second.printed),
    times: keep(first.times, second.times),
    skips: [...first.skips.filter(({ file }) => isFirst(file)), ...second.skips],
    failures,
    lucky: first.failures.filter(
      (failure) => !failures.some(({ name, file }) => name === failure.name && file === failure.file),
    ),
  };
}

/** How many tests of a file were run. */
function testsIn({ passed, failures }: Outcome, file: string): number {
  return (passed.get(file) ?? 0) + failures.filter((failure) => failure.file === file).length;
}
