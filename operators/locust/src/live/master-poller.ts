import { HomeostatError } from "homeostat";
import { abortable, type Clock, jitter, type Random, type Timer } from "@homeostat/core";
import type { LiveTarget, LiveView } from "./live-view.ts";
import { advance, isEnding, type RunState, initialRunState } from "./run-state.ts";
import { type Reading, readStats, type Snapshot, statsBytesMax } from "./snapshot.ts";
import type { MasterAddress, MasterWeb, WebRequest, WebResponse } from "./web-api.ts";

/** Thrown when the stop request to a Locust master failed. */
export class MasterUnreachableError extends HomeostatError {
  readonly code = "MASTER_UNREACHABLE";
  readonly key: string;

  constructor(key: string, problem: string, options?: ErrorOptions) {
    super(
      `Failed to stop the users of the Locust master of ${key}: it ${problem}. ` +
        "Allow the operator to reach port 8089 of the pod, or set LIVE_STATS_ACCESS=apiProxy.",
      options,
    );
    this.key = key;
  }
}

export interface ResultFiles {
  readonly requestsCsv: string;
  readonly failuresCsv: string;
  readonly exceptionsCsv: string;
}

export interface MasterPollerOptions {
  readonly web: MasterWeb;
  readonly clock: Clock;
  /** The clock of the API server: times of snapshots are written to the status. */
  readonly serverClock: Clock;
  readonly random: Random;
  readonly onPoll: (key: string, hasFailed: boolean) => void;
}

const readTimeoutMs = 3_000;
const downloadTimeoutMs = 10_000;
/** Size limit of a downloaded result file. */
const fileBytesMax = 4 * 1_024 * 1_024;
/** Locust caches its statistics for two seconds, so a shorter interval is useless. */
const endingIntervalMs = 2_000;
const retryMsMin = 1_000;
const retryMsMax = 30_000;
/** During this time retries stay frequent: a starting master refuses connections, and its run must be observed early. */
const startupMs = 120_000;
const jitterFactor = 0.2;
/** Number of consecutive failed polls after which a master is reported as unreachable. */
const failuresMax = 3;
/** Age in poll intervals up to which a snapshot counts as fresh. */
const freshIntervals = 3;

/** Polls one master: one timer, at most one request at a time, and the state so far. */
export class MasterPoller implements Disposable {
  readonly target: LiveTarget;
  readonly #address: MasterAddress;
  readonly #options: MasterPollerOptions;
  readonly #life = new AbortController();
  #timer: Timer | undefined;
  #lastRequest: Promise<unknown> = Promise.resolve();
  #failures = 0;
  #reason: LiveView["reason"] = "WaitingForMaster";
  #message = "Waiting for the first statistics from the master";
  #snapshot: Snapshot | undefined;
  #takenAt = 0;
  #runState: RunState = initialRunState;
  #stopMethod: WebRequest["method"] = "GET";
  #isStopRequested = false;
  #polledSince = 0;

  constructor(target: LiveTarget, address: MasterAddress, options: MasterPollerOptions) {
    this.target = target;
    this.#address = address;
    this.#options = options;
  }

  /** Starts polling after the caller has returned. */
  begin(): void {
    this.#polledSince = this.#options.clock.monotonic();
    this.#schedule(0);
  }

  get view(): LiveView {
    const { startedAt, peakUsers, workers, isFinal } = this.#runState;
    const ageMs = this.#options.clock.monotonic() - this.#takenAt;
    const isFresh = this.#snapshot !== undefined && ageMs < freshIntervals * this.target.intervalSeconds * 1_000;
    const [reason, message, snapshot] = [this.#reason, this.#message, this.#snapshot];
    return { reason, message, snapshot, isFresh, isFinal, peakUsers, workers, startedAt };
  }

  /** Requests the master to stop its users. Locust responds after they have stopped, so a timeout is not a failure. */
  async stop(signal: AbortSignal): Promise<void> {
    const limits = { timeoutMs: readTimeoutMs, bodyBytesMax: statsBytesMax, signal };
    await this.#inTurn(signal, async () => {
      let { response, isTimeout } = await this.#send(this.#stopMethod, "/stop", limits);
      // Locust accepts GET up to 2.46 and POST since 2.47.
      if (response.type === "response" && response.status === 405) {
        this.#stopMethod = this.#stopMethod === "GET" ? "POST" : "GET";
        ({ response, isTimeout } = await this.#send(this.#stopMethod, "/stop", limits));
      }
      signal.throwIfAborted();
      if (response.type === "failure" && !isTimeout) {
        throw new MasterUnreachableError(this.target.key, response.message);
      }
      if (response.type === "response" && response.status !== 200) {
        throw new MasterUnreachableError(this.target.key, `responded with status ${response.status}`);
      }
      this.#isStopRequested = true;
    });
    this.#schedule(endingIntervalMs);
  }

  /** Downloads the CSV files of the run; undefined when one of them is not available. */
  async files(signal: AbortSignal): Promise<ResultFiles | undefined> {
    const limits = { timeoutMs: downloadTimeoutMs, bodyBytesMax: fileBytesMax, signal };
    return this.#inTurn(signal, async () => {
      const texts: string[] = [];
      for (const path of ["/stats/requests/csv", "/stats/failures/csv", "/exceptions/csv"]) {
        const { response } = await this.#send("GET", path, limits);
        if (response.type === "failure" || response.status !== 200 || /text\/html/i.test(response.contentType)) {
          return undefined;
        }
        texts.push(response.body);
      }
      const [requestsCsv = "", failuresCsv = "", exceptionsCsv = ""] = texts;
      return { requestsCsv, failuresCsv, exceptionsCsv };
    });
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    this.#life.abort();
  }

  async #poll(): Promise<void> {
    const { signal } = this.#life;
    const limits = { timeoutMs: readTimeoutMs, bodyBytesMax: statsBytesMax, signal };
    let response: WebResponse;
    try {
      ({ response } = await this.#inTurn(signal, () => this.#send("GET", "/stats/requests", limits)));
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
    if (signal.aborted) return;
    const reading = readStats(response, this.#options.serverClock.now());
    this.#record(reading);
    this.#schedule(this.#delayAfter(reading));
    this.#options.onPoll(this.target.key, reading.type === "failure");
  }

  #record(reading: Reading): void {
    if (reading.type === "snapshot") {
      this.#failures = 0;
      this.#snapshot = reading.snapshot;
      this.#takenAt = this.#options.clock.monotonic();
      this.#runState = advance(this.#runState, reading.snapshot, this.#takenAt);
      this.#reason = "Streaming";
      this.#message = "Receiving statistics from the master";
      return;
    }
    this.#failures += 1;
    if (reading.type === "login") {
      this.#reason = "AuthRequired";
      this.#message = reading.message;
    } else if (this.#failures >= failuresMax) {
      this.#reason = "Unreachable";
      this.#message = `The master's web interface ${reading.message}`;
    }
  }

  #delayAfter(reading: Reading): number {
    const { random } = this.#options;
    if (reading.type !== "snapshot") return this.#retryDelay();
    const isStopping = this.#isStopRequested && !this.#runState.isFinal;
    if (isStopping || isEnding(this.#runState, reading.snapshot)) return jitter(random, endingIntervalMs, jitterFactor);
    const intervalMs = this.target.intervalSeconds * 1_000;
    return intervalMs * (1 - jitterFactor + 2 * jitterFactor * random.next());
  }

  #retryDelay(): number {
    const { clock } = this.#options;
    const isStarting = this.#snapshot === undefined && clock.monotonic() - this.#polledSince < startupMs;
    const mostMs = isStarting ? Math.min(retryMsMax, this.target.intervalSeconds * 1_000) : retryMsMax;
    return Math.min(mostMs, retryMsMin * 2 ** Math.min(10, this.#failures - 1));
  }

  #schedule(ms: number): void {
    if (this.#life.signal.aborted) return;
    this.#timer?.[Symbol.dispose]();
    this.#timer = this.#options.clock.schedule(ms, () => void this.#poll());
  }

  /** Sends a request. Settles at the timeout or when a signal aborts, even if the `MasterWeb` does not. */
  async #send(
    method: WebRequest["method"],
    path: string,
    { timeoutMs, bodyBytesMax, signal }: SendLimits,
  ): Promise<{ readonly response: WebResponse; readonly isTimeout: boolean }> {
    using timeout = this.#options.clock.timeout(timeoutMs);
    const ended = AbortSignal.any([timeout.signal, this.#life.signal, signal]);
    const sending = this.#options.web.send(this.#address, { method, path, signal: ended, bodyBytesMax });
    const response = await abortable(sending, ended).catch((error: unknown): WebResponse => ({
      type: "failure",
      message: String(error),
    }));
    const isTimeout = response.type === "failure" && timeout.signal.aborted;
    if (!isTimeout) return { response, isTimeout };
    return { response: { type: "failure", message: `did not respond within ${timeoutMs / 1_000} s` }, isTimeout };
  }

  /**
   * Runs one request at a time: each waits for the earlier ones, whether they succeed or fail.
   *
   * Waiting ends when the signal aborts. Later requests then still wait for the earlier ones: `#lastRequest` resolves only after
   * both the previous request and this one are done.
   */
  async #inTurn<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const previous = this.#lastRequest;
    let release: () => void = () => undefined;
    const done = new Promise<void>((resolve) => (release = resolve));
    this.#lastRequest = previous.then(() => done);
    try {
      await abortable(previous, signal);
      return await work();
    } finally {
      release();
    }
  }
}

/** Limits of one request. */
interface SendLimits {
  readonly timeoutMs: number;
  readonly bodyBytesMax: number;
  readonly signal: AbortSignal;
}
