import { ShuttingDownError } from "./errors.ts";

/** Background tasks of a manager by name, each with its own signal. */
export class Tasks {
  readonly #tasks = new Map<string, { readonly stop: AbortController; readonly done: Promise<void> }>();
  readonly #onFailure: (name: string, error: unknown) => void;

  constructor(onFailure: (name: string, error: unknown) => void) {
    this.#onFailure = onFailure;
  }

  /** Starts a task. An error before its signal aborts is reported as a failure. */
  run(name: string, work: (signal: AbortSignal) => Promise<void>): void {
    const stop = new AbortController();
    const done = work(stop.signal).catch((error: unknown) => {
      if (!stop.signal.aborted) this.#onFailure(name, error);
    });
    this.#tasks.set(name, { stop, done });
  }

  /** Aborts the signals of some tasks, and resolves when they have ended. Never rejects. */
  async end(...names: readonly string[]): Promise<void> {
    const ending = names.flatMap((name) => this.#tasks.get(name) ?? []);
    for (const { stop } of ending) stop.abort(new ShuttingDownError());
    await Promise.all(ending.map(({ done }) => done));
  }
}
