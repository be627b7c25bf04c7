import type { CrashPoint } from "../cluster/crashing-transport.ts";

/** The requests of a run without a crash. */
export interface RecordedRun {
  /** Number of counted requests. */
  readonly requests: number;
  /** Numbers, starting at 1, of those that write something other than an event. */
  readonly changes: readonly number[];
}

/** Position of a scenario in its suite. */
export interface ScenarioPosition {
  readonly index: number;
  /** Number of its first changes that it shares with another scenario. That scenario tests the points among them. */
  readonly sharedChanges: number;
}

/** Selects the crash points of a scenario from its run without a crash. */
export type PointSelection = (run: RecordedRun, position: ScenarioPosition) => readonly CrashPoint[];

/** Every request, with a crash before it and a crash after it. */
export const beforeAndAfterEveryRequest: PointSelection = ({ requests }) =>
  Array.from({ length: requests }, (_, index) => index + 1).flatMap((nth) => [
    { nth, when: "before" },
    { nth, when: "after" },
  ]);

/**
 * Every change with a crash after it, and the first request with a crash before it.
 *
 * A crash before a request leaves the cluster in the same state as a crash after the previous request, and requests that
 * change nothing make no difference. So these points cover all others.
 */
export const afterEveryChange: PointSelection = (run, position) => [
  ...(position.sharedChanges === 0 ? [{ nth: 1, when: "before" } as const] : []),
  ...ownChanges(run, position).map((nth) => ({ nth, when: "after" }) as const),
];

/**
 * Selects every n-th change, with a crash after it. Scenarios with the same first steps start at different changes, so that
 * neighbouring scenarios cover different points of the shared steps.
 */
export function afterEveryNthChange(n: number): PointSelection {
  return (run, position) =>
    ownChanges(run, position)
      .filter((_, index) => index % n === position.index % n)
      .map((nth) => ({ nth, when: "after" }));
}

/** Selects about `count` evenly spaced changes, with a crash after each. */
export function afterSomeChanges(count: number): PointSelection {
  return (run, position) => {
    const own = ownChanges(run, position);
    const step = Math.max(1, Math.ceil(own.length / count));
    return own.filter((_, index) => index % step === Math.floor(step / 2)).map((nth) => ({ nth, when: "after" }));
  };
}

function ownChanges({ changes }: RecordedRun, { sharedChanges }: ScenarioPosition): readonly number[] {
  return changes.slice(sharedChanges);
}

/** The selections of a suite: a quick sample, and an exhaustive one. */
export interface PointSelections {
  readonly sample: PointSelection;
  readonly exhaustive: PointSelection;
  /** Largest number of points per scenario that `CRASH_POINTS` can request, for scenarios that take long; default: no limit. */
  readonly sampleMax?: number | undefined;
}

/** Returns the selection that `CRASH_POINTS` requests: `all`, a number of points per scenario, or unset for the sample. */
export function chosenSelection(
  { sample, exhaustive, sampleMax = Infinity }: PointSelections,
  requested: string | undefined = process.env["CRASH_POINTS"],
): PointSelection {
  if (requested === undefined || requested === "") return sample;
  if (requested === "all") return exhaustive;
  if (/^[1-9]\d*$/.test(requested)) return afterSomeChanges(Math.min(Number(requested), sampleMax));
  throw new Error(
    `CRASH_POINTS is ${JSON.stringify(requested)}; set it to "all" or to a number of points per scenario`,
  );
}
