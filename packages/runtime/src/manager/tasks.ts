import { ShuttingDownError } from "./errors.ts";

/** What a manager runs in the background, by name, each with a signal of its own. */
export class Tasks {
  readonly #tasks = new Map<string, { readonly stop: AbortController; readonly done: Promise<void> }>();
  readonly #onFailure: (name: string, error: unknown) => void;

  constructor(onFailure: (name: string, error: unknown) => void) {
    this.#onFailure = onFailure;
  }

  run(name: string, work: (signal: AbortSignal) => Promise<void>): void {
    const stop = new AbortController();
    const done = work(stop.signal).catch((error: unknown) => {
      if (!stop.signal.aborted) this.#onFailure(name, error);
    });
    this.#tasks.set(name, { stop, done });
  }

  /** Tells some tasks to end. Resolves when they have; never rejects. */
  async end(...names: readonly string[]): Promise<void> {
    const ending = names.flatMap((name) => this.#tasks.get(name) ?? []);
    for (const { stop } of ending) stop.abort(new ShuttingDownError());
    await Promise.all(ending.map(({ done }) => done));
  }
}
