import { setMaxListeners } from "node:events";

/**
 * Signals that many may listen to: for each signal it is given, one that aborts with it. Node warns about a signal with
 * more than ten listeners, and a control plane has more parts than that.
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
