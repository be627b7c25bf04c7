/** Returns the result of a promise. Rejects with an error that names `what` if the promise has not settled within the limit. */
export async function within<T>(limitMs: number, what: string, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took longer than ${limitMs / 1000} s`)), limitMs);
  });
  try {
    return await Promise.race([promise, expired]);
  } finally {
    clearTimeout(timer);
  }
}

/** Runs a step of a benchmark, and prints its name before it and its duration afterwards. */
export async function step<T>(name: string, limitMs: number, run: () => Promise<T>): Promise<T> {
  console.error(`${name} ...`);
  const start = performance.now();
  const result = await within(limitMs, name, run());
  console.error(`${name}: ${((performance.now() - start) / 1_000).toFixed(0)} s`);
  return result;
}
