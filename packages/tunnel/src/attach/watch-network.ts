import type { Clock, Timer } from "@homeostat/core";

/** Options of {@link watchNetwork}. */
export interface WatchNetworkOptions {
  readonly clock: Clock;
  /** Returns the addresses of the interfaces that are up, without those of loopback. */
  readonly addresses: () => ReadonlySet<string>;
  /** Called when an address was added: the network is back, or it is another one. */
  readonly onChange: () => void;
}

const tickMs = 500;

/** Watches the addresses of the machine. Node.js has no event for them. */
export function watchNetwork({ clock, addresses, onChange }: WatchNetworkOptions): Timer {
  let timer: Timer;
  let before = addresses();
  const tick = (): void => {
    const now = addresses();
    const isAdded = [...now].some((address) => !before.has(address));
    before = now;
    timer = clock.schedule(tickMs, tick);
    if (isAdded) onChange();
  };
  timer = clock.schedule(tickMs, tick);
  return { [Symbol.dispose]: () => timer[Symbol.dispose]() };
}
