/** Told once that a signal has aborted. */
export interface AbortHearer {
  aborted(): void;
}

/** Who hears of which signal. The one listener of a signal stays as long as the signal does. */
const hearers = new WeakMap<AbortSignal, AbortHearer[]>();

/**
 * Tells somebody when a signal aborts, until {@link unhearAbort}.
 *
 * All who hear of one signal share a listener: to add and to remove one costs more than everything else there is to do
 * about most requests, and many share the signal of the work that they belong to. Each hears of a signal once.
 */
export function hearAbort(signal: AbortSignal, hearer: AbortHearer): void {
  const known = hearers.get(signal);
  if (known !== undefined) {
    known.push(hearer);
    return;
  }
  const all = [hearer];
  hearers.set(signal, all);
  signal.addEventListener(
    "abort",
    () => {
      for (let each = all.shift(); each !== undefined; each = all.shift()) each.aborted();
    },
    { once: true },
  );
}

/** Stops that. */
export function unhearAbort(signal: AbortSignal, hearer: AbortHearer): void {
  const all = hearers.get(signal);
  const at = all?.lastIndexOf(hearer) ?? -1;
  if (all === undefined || at < 0) return;
  if (at === all.length - 1) all.pop();
  else all.splice(at, 1);
}
