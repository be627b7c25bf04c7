/** A benchmark case: the same work, done by several subjects. */
export interface BenchCase {
  /** Description of the work: `"two equal copies, 2 KB"`. */
  readonly name: string;
  /**
   * Subjects by name; Homeostat's first, then the others. Each returns its result, so that the work cannot be optimized
   * away, or a promise if it is asynchronous.
   */
  readonly subjects: Readonly<Record<string, () => unknown>>;
  /** Number of operations per call. Default 1. The table shows the time per operation. */
  readonly operationsPerCall?: number;
  /**
   * Limit of the time of the first subject divided by that of the last one, for work whose cost must not grow with the number of
   * objects. `--check` fails above it.
   */
  readonly ratioMax?: number;
}

/** The export `cases` of a `*.bench.ts` file. */
export type BenchCases = readonly BenchCase[];

/** Reports whether a value has the shape of {@link BenchCases}. */
export function isBenchCases(value: unknown): value is BenchCases {
  return Array.isArray(value) && value.length > 0 && value.every(isBenchCase);
}

function isBenchCase(value: unknown): value is BenchCase {
  if (typeof value !== "object" || value === null) return false;
  const { name, subjects, operationsPerCall = 1, ratioMax = 1 } = value as Partial<BenchCase>;
  return (
    typeof name === "string" &&
    typeof subjects === "object" &&
    Object.keys(subjects).length > 0 &&
    Object.values(subjects).every((run) => typeof run === "function") &&
    Number.isInteger(operationsPerCall) &&
    operationsPerCall > 0 &&
    ratioMax > 0
  );
}
