import { type Clock, jitter, type Random, type Timer } from "@homeostat/core";
import type { LiveReason, LiveTarget, LiveView, ResultFiles, Snapshot } from "./live-stats.ts";
import { MasterUnreachableError } from "./errors.ts";
import { type Reading, readingOf } from "./reading.ts";
import { advance, isEnding, type RunCourse, unseenRun } from "./run-course.ts";
import type { MasterAddress, MasterWeb, WebAnswer } from "./web.ts";

/** What following a master needs. */
export interface FollowParts {
  readonly web: MasterWeb;
  readonly clock: Clock;
  readonly random: Random;
  /** Called after every poll, with whether it failed. */
  readonly onPoll: (key: string, hasFailed: boolean) => void;
}

const readMs = 3_000;
const downloadMs = 10_000;
const endingMs = 2_000;
const retryMsMin = 1_000;
const retryMsMax = 30_000;
/** A master that has yet to start refuses connections for a while, and must not be lost sight of for that. */
const startMs = 120_000;
const jitterFactor = 0.2;
/** So many failures in a row make a master unreachable. */
const failuresMax = 3;
const intervalsFresh = 3;

/** Follows one master: one timer, at most one request at a time, and what is known so far. */
export class FollowedMaster implements Disposable {
  readonly target: LiveTarget;
  readonly #address: MasterAddress;
  readonly #parts: FollowParts;
  readonly #life = new AbortController();
  #timer: Timer | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #failures = 0;
  #reason: LiveReason = "WaitingForMaster";
  #message = "Waiting for the master's first numbers";
  #snapshot: Snapshot | undefined;
  #takenAt = 0;
  #course: RunCourse = unseenRun;
  #stopMethod: "GET" | "POST" = "GET";
  #isStopAsked = false;
  #followedSince = 0;

  constructor(target: LiveTarget, address: MasterAddress, parts: FollowParts) {
    this.target = target;
    this.#address = address;
    this.#parts = parts;
  }

  /** Asks for the first numbers, as soon as the caller has returned. */
  begin(): void {
    this.#followedSince = this.#parts.clock.monotonic();
    this.#schedule(0);
  }

  /** What is known now. */
  get view(): LiveView {
    const { begunAt, peakUsers, workers, isFinal } = this.#course;
    const age = this.#parts.clock.monotonic() - this.#takenAt;
    return {
      reason: this.#reason,
      message: this.#message,
      snapshot: this.#snapshot,
      isFresh: this.#snapshot !== undefined && age < intervalsFresh * this.target.intervalSeconds * 1_000,
      isFinal,
      peakUsers,
      workers,
      begunAt,
    };
  }

  /** Asks the master to stop its users. It answers when they are gone, which is not waited for. */
  async stop(signal: AbortSignal): Promise<void> {
    await this.#inTurn(async () => {
      let { answer, isLate } = await this.#ask(this.#stopMethod, "/stop", readMs, signal);
      // Locust takes it by GET up to 2.46 and by POST since.
      if (answer.type === "answer" && answer.status === 405) {
        this.#stopMethod = this.#stopMethod === "GET" ? "POST" : "GET";
        ({ answer, isLate } = await this.#ask(this.#stopMethod, "/stop", readMs, signal));
      }
      signal.throwIfAborted();
      if (answer.type === "failure" && !isLate) throw new MasterUnreachableError(this.target.key, answer.message);
      if (answer.type === "answer" && answer.status !== 200)
        throw new MasterUnreachableError(this.target.key, `answered ${answer.status}`);
      this.#isStopAsked = true;
    });
    this.#schedule(endingMs);
  }

  /** Downloads the tables of the run; undefined when one of them is not to be had. */
  async files(signal: AbortSignal): Promise<ResultFiles | undefined> {
    return this.#inTurn(async () => {
      const texts: string[] = [];
      for (const path of ["/stats/requests/csv", "/stats/failures/csv", "/exceptions/csv"]) {
        const { answer } = await this.#ask("GET", path, downloadMs, signal);
        if (answer.type === "failure" || answer.status !== 200 || /text\/html/i.test(answer.contentType))
          return undefined;
        texts.push(answer.body);
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
    const { clock } = this.#parts;
    const { answer } = await this.#inTurn(() => this.#ask("GET", "/stats/requests", readMs));
    if (this.#life.signal.aborted) return;
    const reading = readingOf(answer, clock.now());
    this.#take(reading);
    this.#schedule(this.#delay(reading));
    this.#parts.onPoll(this.target.key, reading.type === "failure");
  }

  #take(reading: Reading): void {
    if (reading.type === "snapshot") {
      this.#failures = 0;
      this.#snapshot = reading.snapshot;
      this.#takenAt = this.#parts.clock.monotonic();
      this.#course = advance(this.#course, reading.snapshot, this.#takenAt);
      this.#reason = "Streaming";
      this.#message = "The master tells its numbers";
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

  #delay(reading: Reading): number {
    const { random } = this.#parts;
    if (reading.type !== "snapshot") return this.#retryDelay();
    // Never sooner than that: Locust gives the same answer for two seconds.
    const isNear = this.#isStopAsked && !this.#course.isFinal;
    if (isNear || isEnding(this.#course, reading.snapshot)) return jitter(random, endingMs, jitterFactor);
    const interval = this.target.intervalSeconds * 1_000;
    return interval * (1 - jitterFactor + 2 * jitterFactor * random.next());
  }

  #retryDelay(): number {
    const { clock } = this.#parts;
    const isStarting = this.#snapshot === undefined && clock.monotonic() - this.#followedSince < startMs;
    const most = isStarting ? Math.min(retryMsMax, this.target.intervalSeconds * 1_000) : retryMsMax;
    return Math.min(most, retryMsMin * 2 ** Math.min(10, this.#failures - 1));
  }

  #schedule(ms: number): void {
    if (this.#life.signal.aborted) return;
    this.#timer?.[Symbol.dispose]();
    this.#timer = this.#parts.clock.schedule(ms, () => void this.#poll());
  }

  async #ask(
    method: "GET" | "POST",
    path: string,
    timeoutMs: number,
    signal?: AbortSignal,
  ): Promise<{ readonly answer: WebAnswer; readonly isLate: boolean }> {
    using timeout = this.#parts.clock.timeout(timeoutMs);
    const signals = [timeout.signal, this.#life.signal, ...(signal === undefined ? [] : [signal])];
    const answer = await this.#parts.web.ask(this.#address, { method, path, signal: AbortSignal.any(signals) });
    const isLate = answer.type === "failure" && timeout.signal.aborted;
    return {
      answer: isLate ? { type: "failure", message: `did not answer within ${timeoutMs / 1_000} s` } : answer,
      isLate,
    };
  }

  /** One request at a time: the next waits for the one before it, however that ends. */
  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(work, work);
    this.#turn = mine.then(noop, noop);
    return mine;
  }
}

function noop(): void {}
