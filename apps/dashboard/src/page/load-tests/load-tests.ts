import type { LoadPoint, LoadTestsMessage, LoadTestView, RunRef } from "../../api/load-tests.ts";

/** A shown run with its points; the test is undefined if it does not exist. */
export interface ShownRun {
  readonly test: LoadTestView | undefined;
  readonly points: readonly LoadPoint[];
}

/** The load tests of a page. */
export interface ShownTests {
  /** By the position in the request. */
  readonly runs: readonly ShownRun[];
  readonly candidates: readonly RunRef[];
}

/** Returns the load tests after a message. */
export function applyMessage(before: ShownTests | undefined, { changes, candidates }: LoadTestsMessage): ShownTests {
  const runs = [...(before?.runs ?? [])];
  for (const { index, test, points, isAppended = false } of changes) {
    const known = runs[index];
    runs[index] = {
      test: test === undefined ? known?.test : (test ?? undefined),
      points:
        points === undefined ? (known?.points ?? []) : isAppended ? [...(known?.points ?? []), ...points] : points,
    };
  }
  return { runs, candidates: candidates ?? before?.candidates ?? [] };
}
