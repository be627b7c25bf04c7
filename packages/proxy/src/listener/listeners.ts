import type { Engine } from "./engine.ts";
import { type ListenerOptions, type ListenerPort, PortListener } from "./port-listener.ts";

/** The ports on which a proxy listens. They open and close while it runs. */
export class Listeners {
  readonly #options: ListenerOptions;
  readonly #open = new Map<number, PortListener>();
  readonly #engines: readonly Engine[];

  constructor(options: ListenerOptions) {
    this.#options = options;
    const { http1, http2, translator } = options;
    this.#engines = [...new Set([http1, http2, translator])].filter((engine) => engine !== undefined);
  }

  /** Numbers of the open ports. */
  get ports(): readonly number[] {
    return [...this.#open.keys()];
  }

  /** Opens a port. Has no effect if it is open. Rejects with a `ListenError` if it cannot be used. */
  async open(target: ListenerPort): Promise<PortListener> {
    const before = target.port === 0 ? undefined : this.#open.get(target.port);
    if (before !== undefined) return before;
    const listener = new PortListener(this.#options, target);
    // Reserved before the wait, so that a second call does not open the port twice.
    if (target.port !== 0) this.#open.set(target.port, listener);
    try {
      await listener.open();
    } catch (error) {
      if (this.#open.get(target.port) === listener) this.#open.delete(target.port);
      throw error;
    }
    this.#open.set(listener.port, listener);
    return listener;
  }

  /** Stops to accept connections on a port. Connections that are open stay open. */
  closePort(port: number): void {
    this.#open.get(port)?.stopAccepting();
    this.#open.delete(port);
  }

  /** Stops to accept connections, waits until the engines have none left or the time is over, and closes the rest. */
  async drain(): Promise<void> {
    const { deadlines, limits } = this.#options;
    for (const listener of this.#open.values()) listener.stopAccepting();
    for (const engine of this.#engines) engine.drain();
    const end = deadlines.clock.monotonic() + limits.drainMs;
    const size = (): number => this.#engines.reduce((sum, engine) => sum + engine.size, 0);
    while (size() > 0 && deadlines.clock.monotonic() < end) await deadlines.clock.sleep(100);
    this.close();
  }

  /** Closes all ports and connections at once. */
  close(): void {
    for (const listener of this.#open.values()) listener.close();
    this.#open.clear();
    for (const engine of this.#engines) engine.close();
  }
}
