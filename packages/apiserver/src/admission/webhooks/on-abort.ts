const callbacksOf = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls `run` when a signal is aborted. Returns a function that cancels this.
 *
 * There is one listener per signal, however many callers wait, because Node warns about many listeners on one target.
 */
export function onAbort(signal: AbortSignal, run: () => void): () => void {
  if (signal.aborted) {
    run();
    return () => undefined;
  }
  let callbacks = callbacksOf.get(signal);
  if (callbacks === undefined) {
    const created = new Set<() => void>();
    callbacks = created;
    callbacksOf.set(signal, created);
    signal.addEventListener("abort", () => created.forEach((each) => each()), { once: true });
  }
  callbacks.add(run);
  return () => void callbacks.delete(run);
}
