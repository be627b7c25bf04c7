/** Told once that a signal has aborted. */
export interface AbortHearer {
  aborted(): void;
}

/** Who hears of which signal. The one listener of a signal stays as long as the signal does. */
const hearers = new WeakMap<AbortSignal, Set<AbortHearer>>();

/**
 * Tells somebody when a signal aborts, until {@link unhearAbort}.
 *
 * All who hear of one signal share a listener: to add and to remove one costs more than everything else there is to do
 * about most requests, and many share the signal of the work that they belong to.
 */
export function hearAbort(signal: AbortSignal, hearer: AbortHearer): void {
  const known = hearers.get(signal);
  if (known !== undefined) {
    known.add(hearer);
    return;
  }
  const all = new Set([hearer]);
  hearers.set(signal, all);
  signal.addEventListener(
    "abort",
    () => {
      for (const each of all) each.aborted();
    },
    { once: true },
  );
}

/** Stops that. */
export function unhearAbort(signal: AbortSignal, hearer: AbortHearer): void {
  hearers.get(signal)?.delete(hearer);
}
