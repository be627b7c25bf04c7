const waiting = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Runs something when a signal is aborted; returns what takes that back.
 *
 * One listener for each signal, however many wait on it: Node warns of many.
 */
export function onAbort(signal: AbortSignal, run: () => void): () => void {
  if (signal.aborted) {
    run();
    return () => undefined;
  }
  let runs = waiting.get(signal);
  if (runs === undefined) {
    const made = new Set<() => void>();
    runs = made;
    waiting.set(signal, made);
    signal.addEventListener("abort", () => made.forEach((each) => each()), { once: true });
  }
  runs.add(run);
  return () => void runs.delete(run);
}
