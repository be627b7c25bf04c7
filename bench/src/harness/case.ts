/** One question: the same work, done by several subjects. */
export interface BenchCase {
  /** What the work is: `"two equal copies, 2 KB"`. */
  readonly name: string;
  /**
   * Who does it, by name; ours first, then the peers. Each returns its result, so that the work cannot be optimised
   * away, and a promise if it is asynchronous.
   */
  readonly subjects: Readonly<Record<string, () => unknown>>;
  /** How many operations one call is, when a call does many; the table shows time per operation. */
  readonly operationsPerCall?: number;
}

/** What a `*.bench.ts` file exports under the name `cases`. */
export type BenchCases = readonly BenchCase[];

/** Whether something imported from a bench file has the shape of {@link BenchCases}. */
export function isBenchCases(value: unknown): value is BenchCases {
  return Array.isArray(value) && value.length > 0 && value.every(isBenchCase);
}

function isBenchCase(value: unknown): value is BenchCase {
  if (typeof value !== "object" || value === null) return false;
  const { name, subjects, operationsPerCall = 1 } = value as Partial<BenchCase>;
  return (
    typeof name === "string" &&
    typeof subjects === "object" &&
    Object.keys(subjects).length > 0 &&
    Object.values(subjects).every((run) => typeof run === "function") &&
    Number.isInteger(operationsPerCall) &&
    operationsPerCall > 0
  );
}
