import type { Clock } from "@homeostat/core";
import { isStopRequested, removeFiles, removeState, type TunnelState, writeState } from "./state-file.ts";

/** Options of {@link StateKeeper}. */
export interface StateKeeperOptions {
  readonly stateFolder: string;
  readonly clock: Clock;
  /** The state at the beginning. */
  readonly state: Omit<TunnelState, "refreshedAt">;
  /** Returns the parts of the state that change by themselves. */
  readonly refresh: () => Promise<Partial<TunnelState>>;
  /** Called when another command requests the tunnel to stop. */
  readonly onStop: () => void;
  readonly note: (line: string) => void;
}

const refreshMs = 2_000;

/** Keeps the state file of a running tunnel up to date. */
export class StateKeeper {
  readonly #options: StateKeeperOptions;
  #state: Omit<TunnelState, "refreshedAt">;
  /** Serializes writes: concurrent ones would rename the same temporary file. */
  #writing: Promise<void> = Promise.resolve();
  #hasFailed = false;

  constructor(options: StateKeeperOptions) {
    this.#options = options;
    this.#state = options.state;
  }

  get state(): Omit<TunnelState, "refreshedAt"> {
    return this.#state;
  }

  /** Changes the state. The file follows with the next write. */
  change(change: Partial<TunnelState>): void {
    this.#state = { ...this.#state, ...change };
  }

  /** Writes the file. */
  write(): Promise<void> {
    const { stateFolder, clock } = this.#options;
    const next = this.#writing
      .catch(() => undefined)
      .then(() => writeState(stateFolder, { ...this.#state, refreshedAt: clock.now() }));
    this.#writing = next;
    return next;
  }

  /** Refreshes the file until the signal aborts, and watches for requests to stop. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, refresh, onStop, stateFolder } = this.#options;
    while (!signal.aborted) {
      this.change(await refresh());
      await this.#tryWrite();
      if (await isStopRequested(stateFolder, this.#state)) onStop();
      else await clock.sleep(refreshMs, signal).catch(() => undefined);
    }
  }

  /** Removes the file, and the files of the baseline. */
  async remove(): Promise<void> {
    await this.#writing.catch(() => undefined);
    await removeFiles(this.#state);
    await removeState(this.#options.stateFolder, this.#state);
  }

  /** Writes the file. The tunnel works without it, so a full disk is reported once and does not end it. */
  async #tryWrite(): Promise<void> {
    try {
      await this.write();
    } catch (error) {
      if (!this.#hasFailed)
        this.#options.note(`Cannot write the state of the tunnel: ${error instanceof Error ? error.message : ""}`);
      this.#hasFailed = true;
    }
  }
}
