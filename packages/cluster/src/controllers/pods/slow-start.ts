/** The result of {@link slowStart}. */
export interface SlowStart {
  readonly successes: number;
  /** The first error; undefined when all calls succeeded. */
  readonly failure?: unknown;
}

/**
 * Calls a function `count` times in parallel batches of 1, 2, 4, ..., and stops after a batch with an error
 * (`slowStartBatch` in replica_set.go).
 *
 * If all calls fail for the same reason, for example an exceeded quota, this causes one request and one event instead
 * of hundreds.
 */
export async function slowStart(count: number, work: (index: number) => Promise<void>): Promise<SlowStart> {
  let successes = 0;
  for (let begun = 0, size = 1; begun < count; begun += size, size *= 2) {
    size = Math.min(size, count - begun);
    const results = await Promise.allSettled(Array.from({ length: size }, (_, index) => work(begun + index)));
    const failures = results.filter((result) => result.status === "rejected");
    successes += size - failures.length;
    const [first] = failures;
    if (first !== undefined) return { successes, failure: first.reason };
  }
  return { successes };
}
