import type { TermSignals } from "../controller/unit.ts";
import type { Logger } from "../log/logger.ts";
import type { Need } from "../preflight/need.ts";
import { PartEndedError } from "./errors.ts";

/** What a part of a manager does, be it a controller or a service. */
export interface PartWork {
  /** Such as `controller/tenants`. */
  readonly name: string;
  readonly need: Need;
  /** Whether its work may end before it is told to. */
  readonly mayEnd: boolean;
  /** Gets warm: called once, when its needs are met. */
  open?(): void;
  /** Resolves when it is warm. */
  ready?(signal: AbortSignal): Promise<void>;
  /** Works for one term. */
  run(signals: TermSignals): Promise<void>;
  /** Whether it can do its work, as it sees it itself. */
  isReady?(): boolean;
  close?(): void;
}

/** Where a part stands. */
export type PartState =
  /** Its needs are not known to be met yet. Next: `degraded` or `warming`. */
  | { readonly at: "waiting" }
  /** Its needs are not met. Next: `warming`, when they are. */
  | { readonly at: "degraded"; readonly why: string; readonly reason: "kinds" | "access" }
  /** Fills its caches. Next: `warm`. */
  | { readonly at: "warming" }
  /** Could work, and does when it is `isRunning`. */
  | { readonly at: "warm" }
  | { readonly at: "failed"; readonly error: unknown }
  | { readonly at: "closed" };

/** How a part is watched over. */
export interface PartOptions {
  readonly log: Logger;
  /** Told when it cannot go on. */
  readonly onFailure: (part: string, error: unknown) => void;
}

interface Run {
  readonly stop: AbortController;
  readonly abort: AbortController;
  readonly ended: Promise<void>;
}

/** A controller or service in a running manager: gets warm when its needs are met, and works for one term after the other. */
export class Part {
  readonly work: PartWork;
  readonly #options: PartOptions;
  readonly #life = new AbortController();
  #state: PartState = { at: "waiting" };
  #warm: Promise<void> = Promise.resolve();
  #run: Run | undefined;

  constructor(work: PartWork, options: PartOptions) {
    this.work = work;
    this.#options = options;
  }

  get name(): string {
    return this.work.name;
  }

  get state(): PartState {
    return this.#state;
  }

  /** Whether it works, or still puts its work down. */
  get isRunning(): boolean {
    return this.#run !== undefined;
  }

  /** Resolves when nothing of it runs. Never rejects. */
  get ended(): Promise<void> {
    return this.#run?.ended ?? Promise.resolve();
  }

  degrade(why: string, reason: "kinds" | "access"): void {
    this.#state = { at: "degraded", why, reason };
  }

  /** Its needs are met: gets warm. */
  admit(): void {
    if (this.#state.at !== "waiting" && this.#state.at !== "degraded") return;
    this.#state = { at: "warming" };
    try {
      this.work.open?.();
    } catch (error) {
      this.#fail(error);
      return;
    }
    this.#warm = this.#getWarm();
  }

  /** Begins to work, as soon as it is warm; nothing when it may not, or does already. */
  begin(): void {
    if (this.#run !== undefined || (this.#state.at !== "warming" && this.#state.at !== "warm")) return;
    const stop = new AbortController();
    const abort = new AbortController();
    const ended = this.#work({ stop: stop.signal, abort: abort.signal }).finally(() => (this.#run = undefined));
    this.#run = { stop, abort, ended };
  }

  /** No new work; what is under way may finish. */
  stop(reason: unknown): void {
    this.#run?.stop.abort(reason);
  }

  /** Breaks off what is under way. */
  abort(reason: unknown): void {
    this.#run?.stop.abort(reason);
    this.#run?.abort.abort(reason);
  }

  close(reason: unknown): void {
    this.#life.abort(reason);
    if (this.#state.at === "warming" || this.#state.at === "warm") this.work.close?.();
    if (this.#state.at !== "failed") this.#state = { at: "closed" };
  }

  async #getWarm(): Promise<void> {
    try {
      await this.work.ready?.(this.#life.signal);
      if (this.#state.at === "warming") this.#state = { at: "warm" };
    } catch (error) {
      if (!this.#life.signal.aborted) this.#fail(error);
    }
  }

  async #work(signals: TermSignals): Promise<void> {
    await untilEither(this.#warm, signals.stop);
    if (signals.stop.aborted || this.#state.at !== "warm") return;
    try {
      await this.work.run(signals);
      if (!signals.stop.aborted && !this.work.mayEnd) throw new PartEndedError(this.name);
    } catch (error) {
      if (!signals.stop.aborted) {
        this.#fail(error);
        // Loops that the work started with these signals must not outlive it: they would keep the process alive.
        this.abort(error);
      } else if (error !== signals.stop.reason && error !== signals.abort.reason) {
        this.#options.log.warn("Something failed while it was being stopped", { part: this.name, error });
      }
    }
  }

  #fail(error: unknown): void {
    this.#state = { at: "failed", error };
    this.#options.onFailure(this.name, error);
  }
}

/** Waits for a promise that never rejects, or for a signal to abort. */
async function untilEither(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  let wake = (): void => undefined;
  const aborted = new Promise<void>((resolve) => {
    wake = resolve;
    signal.addEventListener("abort", wake, { once: true });
  });
  await Promise.race([promise, aborted]);
  signal.removeEventListener("abort", wake);
}
