import type { TermSignals } from "../controller/unit.ts";
import type { Logger } from "../log/logger.ts";
import type { DegradedReason, Prerequisites } from "../preflight/prerequisites.ts";
import { PartEndedError } from "./errors.ts";

/** The work of a part of a manager: a controller or a service. */
export interface PartWork {
  /** Unique name: `controller/tenants`, `service/webhooks`. */
  readonly name: string;
  readonly prerequisites: Prerequisites;
  /** True if `run` may return before it is stopped. */
  readonly mayEnd: boolean;
  /** Starts the informers. Called once, when the prerequisites are met. */
  open?(): void;
  /** Resolves when the informers have synced. */
  ready?(signal: AbortSignal): Promise<void>;
  /** Works for one term, until the signals abort. */
  run(signals: TermSignals): Promise<void>;
  /** Reports whether the part itself considers its work possible. */
  isReady?(): boolean;
  /** Milliseconds that `run` may take after the signal `stop`; a default of the manager if undefined. */
  readonly stopMs?: number | undefined;
  close?(): void;
}

/** State of a part. */
export type PartState =
  /** The prerequisites have not been checked yet. Next: `degraded` or `warming`. */
  | { readonly at: "waiting" }
  /** Prerequisites are missing. Next: `warming`, when they are met. */
  | { readonly at: "degraded"; readonly why: string; readonly reason: DegradedReason }
  /** The informers are syncing. Next: `warm`. */
  | { readonly at: "warming" }
  /** Ready to work; it does so while `isRunning` is true. */
  | { readonly at: "warm" }
  | { readonly at: "failed"; readonly error: unknown }
  | { readonly at: "closed" };

/** Options of a {@link Part}. */
export interface PartOptions {
  readonly log: Logger;
  /** Called when the part has failed and cannot continue. */
  readonly onFailure: (part: string, error: unknown) => void;
}

/** A running term of a part. */
interface PartTerm {
  readonly stop: AbortController;
  readonly abort: AbortController;
  readonly ended: Promise<void>;
}

/**
 * A controller or service in a running manager. It syncs its informers when its prerequisites are met, and then works in terms.
 *
 * A term has two signals. `stop` asks it to start nothing new and lets running work finish: the program shuts down, but still leads, and a
 * reconcile that is cut off half-way would leave its object to the next process in a state between two. `abort` ends running work as well:
 * leadership is lost, or the grace period is over.
 *
 * Terms and informers have different lives on purpose. Informers start before the first term and survive the loss of leadership, so that a
 * standby process takes over in milliseconds instead of after a list of everything.
 */
export class Part {
  readonly work: PartWork;
  readonly #options: PartOptions;
  readonly #life = new AbortController();
  #state: PartState = { at: "waiting" };
  #warming: Promise<void> = Promise.resolve();
  #term: PartTerm | undefined;

  constructor(work: PartWork, options: PartOptions) {
    this.work = work;
    this.#options = options;
  }

  get name(): string {
    return this.work.name;
  }

  /** The state in one word, for the `/why` page; with the reason if prerequisites are missing. */
  get description(): string {
    if (this.#state.at === "degraded")
      return `${this.#state.reason === "optional-kinds" ? "waiting" : "degraded"}: ${this.#state.why}`;
    return this.isRunning ? "leading" : this.#state.at;
  }

  get state(): PartState {
    return this.#state;
  }

  /** True if a term is running, or stopping. */
  get isRunning(): boolean {
    return this.#term !== undefined;
  }

  /** Resolves when the current term has ended. Never rejects. */
  get ended(): Promise<void> {
    return this.#term?.ended ?? Promise.resolve();
  }

  degrade(why: string, reason: DegradedReason): void {
    this.#state = { at: "degraded", why, reason };
  }

  /** Starts to sync the informers. Called when the prerequisites are met; has no effect after the first call. */
  warmUp(): void {
    if (this.#state.at !== "waiting" && this.#state.at !== "degraded") return;
    this.#state = { at: "warming" };
    try {
      this.work.open?.();
    } catch (error) {
      this.#fail(error);
      return;
    }
    this.#warming = this.#awaitReady();
  }

  /** Starts a term, which begins to work when the informers have synced. Has no effect on a part that is degraded or has a term. */
  startTerm(): void {
    if (this.#term !== undefined || (this.#state.at !== "warming" && this.#state.at !== "warm")) return;
    const stop = new AbortController();
    const abort = new AbortController();
    const ended = this.#work({ stop: stop.signal, abort: abort.signal }).finally(() => (this.#term = undefined));
    this.#term = { stop, abort, ended };
  }

  /** Stops the term: no new work is started, running work may finish. */
  stop(reason: unknown): void {
    this.#term?.stop.abort(reason);
  }

  /** Aborts the term, including running work. */
  abort(reason: unknown): void {
    this.#term?.stop.abort(reason);
    this.#term?.abort.abort(reason);
  }

  /** Closes the informers for good. */
  close(reason: unknown): void {
    this.#life.abort(reason);
    if (this.#state.at === "warming" || this.#state.at === "warm") this.work.close?.();
    if (this.#state.at !== "failed") this.#state = { at: "closed" };
  }

  async #awaitReady(): Promise<void> {
    try {
      await this.work.ready?.(this.#life.signal);
      if (this.#state.at === "warming") this.#state = { at: "warm" };
    } catch (error) {
      if (!this.#life.signal.aborted) this.#fail(error);
    }
  }

  async #work(signals: TermSignals): Promise<void> {
    await untilEither(this.#warming, signals.stop);
    if (signals.stop.aborted || this.#state.at !== "warm") return;
    try {
      await this.work.run(signals);
      if (!signals.stop.aborted && !this.work.mayEnd) throw new PartEndedError(this.name);
    } catch (error) {
      if (!signals.stop.aborted) {
        this.#fail(error);
        // The failed work may have started loops that listen to these signals; they would keep the process alive.
        this.abort(error);
      } else if (error !== signals.stop.reason && error !== signals.abort.reason) {
        this.#options.log.warn("Part failed while stopping", { part: this.name, error });
      }
    }
  }

  #fail(error: unknown): void {
    this.#state = { at: "failed", error };
    this.#options.onFailure(this.name, error);
  }
}

/** Waits for a promise, which must not reject, or for a signal to abort. */
async function untilEither(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  let onAbort = (): void => undefined;
  const aborted = new Promise<void>((resolve) => {
    onAbort = resolve;
    signal.addEventListener("abort", onAbort, { once: true });
  });
  await Promise.race([promise, aborted]);
  signal.removeEventListener("abort", onAbort);
}
