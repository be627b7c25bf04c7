import type { Failure, Outcome } from "./run-files.ts";

/** More failing files than this are not flakiness, and are not run again. */
const filesMax = 3;

/**
 * Returns the source files to run a second time: those with a failure, if there are only a few.
 *
 * On a busy machine, components of a real Kubernetes race each other, and a test may observe a rare order of events; a test that measures
 * time may be slowed down by other processes. A real bug fails twice.
 */
export function filesToRunAgain({ failures }: Outcome): string[] {
  const files = [...new Set(failures.map(({ file }) => file))];
  return files.length > filesMax || files.includes("") ? [] : files;
}

/** Returns the path filter for the tests of a source file: the file itself, or its folder for a helper shared by tests. */
export function testsOf(file: string): string {
  return file.endsWith(".test.ts") ? file : file.slice(0, file.lastIndexOf("/") + 1);
}

/** Merges both runs: the second run replaces the first for files that ran twice. Tests that failed only in the first run are returned in `lucky`. */
export function joined(first: Outcome, second: Outcome, again: readonly string[]): Outcome & { lucky: Failure[] } {
  // A helper may be shared by tests that were not all run again: then the first run counts too.
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
    // A failure that names only the file failed again if any test of the file did.
    lucky: first.failures.filter(
      (failure) => !failures.some(({ name, file }) => file === failure.file && [name, file].includes(failure.name)),
    ),
  };
}

/** Returns the number of tests of a file that were run. */
function testsIn({ passed, failures }: Outcome, file: string): number {
  return (passed.get(file) ?? 0) + failures.filter((failure) => failure.file === file).length;
}
