import type { Clock } from "@homeostat/core";
import type { TrafficReport } from "@homeostat/routing";

/** Parts of a report that a collector takes, and gets back if the report was lost. */
export type ReportContent = Omit<TrafficReport, "proxy">;

export interface ReporterOptions {
  readonly clock: Clock;
  /** Takes what there is to report; undefined if there is nothing. */
  readonly take: () => ReportContent | undefined;
  readonly putBack: (content: ReportContent) => void;
  /** Number of requests that wait for a target. */
  readonly waiting: () => number;
}

/** Sends one report. Returns false if the route server has not taken it. */
export type SendReport = (content: ReportContent) => Promise<boolean>;

/** Interval of reports. */
export const reportMs = 5_000;
/** Interval of reports while requests wait: a wake-up that was lost is repeated after it. */
export const waitingMs = 2_000;
/** Time after a wake-up in which further ones join the same report. */
const joinMs = 50;

/**
 * Sends reports of traffic while a stream is connected: every 5 s if there is something to report, and at once when a request waits for a
 * workload. One report is on its way at a time. A report that was lost is joined with the next one.
 */
export class Reporter {
  readonly #options: ReporterOptions;
  #send: SendReport | undefined;
  #timer: (Disposable & { readonly at: number }) | undefined;
  #isSending = false;
  /** True if a request began to wait while a report was on its way, which may not contain it. */
  #isUrgent = false;

  constructor(options: ReporterOptions) {
    this.#options = options;
  }

  /** Uses a connection until the result is disposed of. */
  attach(send: SendReport): Disposable {
    this.#send = send;
    // After a reconnect, requests may have been waiting for long.
    this.#scheduleIn(this.#options.waiting() > 0 ? joinMs : reportMs);
    return {
      [Symbol.dispose]: () => {
        if (this.#send !== send) return;
        this.#send = undefined;
        this.#timer?.[Symbol.dispose]();
        this.#timer = undefined;
      },
    };
  }

  /** Sends a report at once: a request waits for a workload that may be scaled to zero. */
  wake(): void {
    this.#isUrgent = true;
    this.#scheduleIn(joinMs);
  }

  #scheduleIn(ms: number): void {
    if (this.#send === undefined || this.#isSending) return;
    const { clock } = this.#options;
    const at = clock.monotonic() + ms;
    if (this.#timer !== undefined && this.#timer.at <= at) return;
    this.#timer?.[Symbol.dispose]();
    const scheduled = clock.schedule(ms, () => {
      this.#timer = undefined;
      void this.#report();
    });
    this.#timer = { at, [Symbol.dispose]: () => scheduled[Symbol.dispose]() };
  }

  async #report(): Promise<void> {
    const { take, putBack, waiting } = this.#options;
    const send = this.#send;
    if (send === undefined) return;
    this.#isUrgent = false;
    const content = take();
    if (content !== undefined) {
      this.#isSending = true;
      const isTaken = await send(content).catch(() => false);
      this.#isSending = false;
      if (!isTaken) putBack(content);
    }
    this.#scheduleIn(this.#isUrgent ? joinMs : waiting() > 0 ? waitingMs : reportMs);
  }
}
