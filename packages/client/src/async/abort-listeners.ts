/** A listener that is called once when a signal aborts. */
export interface AbortListener {
  aborted(): void;
}

/** The listeners of each signal. They share one event listener, which is never removed from the signal. */
const listeners = new WeakMap<AbortSignal, AbortListener[]>();

/**
 * Calls a listener when a signal aborts, until {@link removeAbortListener}.
 *
 * All listeners of a signal share one event listener: adding and removing event listeners costs more than all other work for a
 * typical request, and many requests share the signal of the reconcile that they belong to.
 */
export function addAbortListener(signal: AbortSignal, listener: AbortListener): void {
  const known = listeners.get(signal);
  if (known !== undefined) {
    known.push(listener);
    return;
  }
  const all = [listener];
  listeners.set(signal, all);
  signal.addEventListener(
    "abort",
    () => {
      for (let each = all.shift(); each !== undefined; each = all.shift()) each.aborted();
    },
    { once: true },
  );
}

/** Removes a listener. */
export function removeAbortListener(signal: AbortSignal, listener: AbortListener): void {
  const all = listeners.get(signal);
  const at = all?.lastIndexOf(listener) ?? -1;
  if (all === undefined || at < 0) return;
  if (at === all.length - 1) all.pop();
  else all.splice(at, 1);
}
