/** What came of doing something many times. */
export interface SlowStart {
  /** How often it succeeded. */
  readonly successes: number;
  /** What the first failure was; undefined when there was none. */
  readonly failure?: unknown;
}

/**
 * Does something many times at once, but begins with one, and doubles only while all succeed.
 *
 * When there is a reason why all of them must fail, that leads to one request and one event, not to hundreds.
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
