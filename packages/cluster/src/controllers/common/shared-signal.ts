import { setMaxListeners } from "node:events";

/**
 * Returns a function that maps each signal to a shared follower which aborts with it and may have any number of
 * listeners. Node.js warns about a signal with more than ten listeners (`MaxListenersExceededWarning`), and a control
 * plane has more loops than that.
 */
export function sharedSignals(): (signal: AbortSignal) => AbortSignal {
  const known = new WeakMap<AbortSignal, AbortSignal>();
  return (signal) => {
    const shared = known.get(signal) ?? follower(signal);
    known.set(signal, shared);
    return shared;
  };
}

function follower(signal: AbortSignal): AbortSignal {
  const own = new AbortController();
  setMaxListeners(0, own.signal);
  if (signal.aborted) own.abort(signal.reason);
  else signal.addEventListener("abort", () => own.abort(signal.reason), { once: true });
  return own.signal;
}
