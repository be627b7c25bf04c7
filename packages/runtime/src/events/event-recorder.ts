import {
  AlreadyExistsError,
  ApiError,
  ArgumentError,
  classify,
  formatMicroTime,
  microsFromMs,
  NotFoundError,
  retryAfterMsOf,
} from "@homeostat/core";
import type { Event } from "@homeostat/kubernetes/events/v1";
import { pause, request } from "../election/request.ts";
import { Budgets } from "./budgets.ts";
import { DropLog, type EventDrop } from "./drop-log.ts";
import { LruMap } from "./lru-map.ts";
import { eventName, type EventRecord, type EventSubject, makeEvent } from "./make-event.ts";
import { formatNote } from "./note.ts";
import { checkReporter, type EventRecorderOptions } from "./options.ts";
import { countMax, eventOf, isBehind, kindOfEvent, DistinctNotes, objectKey, type Series } from "./series.ts";

const backoffBaseMs = 500;
const backoffCapMs = 10_000;
/** Upper limit on a `Retry-After` sent by the server. */
const retryAfterMaxMs = 60_000;

/** Prefix of the note of an event that also counts events with other notes. The same text as in client-go. */
const combinedMark = "(combined from similar events): ";

/**
 * A recorder of events about objects (`events.k8s.io/v1`) that never blocks the caller and never fails because of the
 * server.
 *
 * Repetitions are counted in a series, whose count is sent periodically; so are events that differ only in
 * ever-changing notes. The number of writes per object and the memory are limited. Events are best effort: if the
 * server cannot be reached for too long, they are dropped and reported to `onDrops`.
 *
 * @example
 * const events = new EventRecorder({ sink, clock, random, reportingController: "homeostat.dev/locust", reportingInstance });
 * const running = events.run(signal);
 * events.record(test, { type: "Normal", reason: "Started", action: "CreateJob", note: "The master job was created." });
 */
export class EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #limits: Required<
    Pick<EventRecorderOptions, "seriesWindowMs" | "flushPeriodMs" | "queueMax" | "attemptsMax">
  >;
  readonly #budgets: Budgets;
  readonly #notes: DistinctNotes;
  readonly #series: LruMap<string, Series>;
  /** Series waiting to be sent, in order. */
  readonly #queue = new Set<Series>();
  /** Callers of `flush` that wait for an empty queue. */
  #drained: (() => void)[] = [];
  #workAdded = new AbortController();
  #phase: "waiting" | "running" | "over" = "waiting";
  #lastName = 0n;
  readonly #drops = new DropLog();
  /** Monotonic time from which drops may be reported again. */
  #reportAt = -Infinity;

  constructor(options: EventRecorderOptions) {
    checkReporter(options);
    const { clock, burst = 25, refillMs = 300_000, notesMax = 10, notesWindowMs = 600_000, keysMax = 4096 } = options;
    const { seriesWindowMs = 360_000, flushPeriodMs = 30_000, queueMax = 1000, attemptsMax = 6 } = options;
    this.#options = options;
    this.#limits = { seriesWindowMs, flushPeriodMs, queueMax, attemptsMax };
    this.#budgets = new Budgets({ burst, refillMs, objectsMax: keysMax, clock });
    this.#notes = new DistinctNotes({ notesMax, windowMs: notesWindowMs, kindsMax: keysMax });
    this.#series = new LruMap(keysMax);
  }

  /** Records an event about an object. Throws `ArgumentError` for a record that no server would accept. */
  record(object: EventSubject, record: EventRecord): void {
    const { clock } = this.#options;
    const event = this.#make(object, record);
    const monotonic = clock.monotonic();
    this.#options.meter?.recorded();
    const kind = kindOfEvent(event);
    const isDistinct = this.#notes.isDistinct(kind, event.note ?? "", monotonic);
    const key = isDistinct ? `${kind}${event.note}` : kind;
    if (this.#repeat(key, event.eventTime, monotonic)) return;
    const subject = `${objectKey(event.regarding ?? {})}${record.limit === undefined ? "" : ` ${record.limit}`}`;
    if (this.#phase === "over") this.#drop(event, "stopped");
    else if (this.#budgets.take(subject)) {
      const first = isDistinct ? event : { ...event, note: formatNote(`${combinedMark}${record.note}`) };
      this.#startSeries({
        key,
        object: subject,
        event: first,
        count: 1,
        countSent: 0,
        lastTime: event.eventTime,
        lastAt: monotonic,
        isCreated: false,
      });
    } else this.#drop(event, "rate-limited");
  }

  /**
   * Sends recorded events until the signal aborts; then tries to send the remaining ones for up to `stopGraceMs`, and
   * returns.
   */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#phase !== "waiting") throw new ArgumentError({ argument: "run", problem: "was called before." });
    const { clock, stopGraceMs = 3_000 } = this.#options;
    this.#phase = "running";
    let flushAt = clock.monotonic() + this.#limits.flushPeriodMs;
    while (!signal.aborted) {
      await this.#sendAll(signal, this.#limits.attemptsMax);
      if (this.#queue.size === 0) await pause(clock, flushAt - clock.monotonic(), [signal, this.#workAdded.signal]);
      if (this.#workAdded.signal.aborted) this.#workAdded = new AbortController();
      if (clock.monotonic() < flushAt) continue;
      flushAt = clock.monotonic() + this.#limits.flushPeriodMs;
      this.#collect((series) => this.#budgets.take(series.object));
      this.#reportDrops();
    }
    this.#phase = "over";
    using grace = clock.timeout(stopGraceMs);
    this.#collect(() => true);
    await this.#sendAll(grace.signal, 1);
    for (const series of this.#queue) this.#drop(series.event, "stopped");
    this.#queue.clear();
    this.#reportAt = -Infinity;
    this.#reportDrops();
    this.#resolveDrained();
  }

  /**
   * Sends the counts of all series now. Resolves when everything recorded so far was sent or dropped.
   *
   * Events are sent by `run` only: if it has not been called, this waits for it.
   */
  async flush(): Promise<void> {
    this.#collect(() => true);
    if (this.#queue.size === 0 || this.#phase === "over") return;
    this.#workAdded.abort();
    await new Promise<void>((resolve) => void this.#drained.push(resolve));
  }

  /** Number of tracked series and of events waiting to be sent. Both are limited. */
  get size(): { readonly series: number; readonly waiting: number } {
    return { series: this.#series.size, waiting: this.#queue.size };
  }

  #make(object: EventSubject, record: EventRecord): Event {
    const { clock, random, reportingController, reportingInstance } = this.#options;
    const micros = microsFromMs(clock.now());
    // Two events within a microsecond, or after the clock was set back, must not get the same name.
    const nanos = micros * 1000n;
    this.#lastName = nanos > this.#lastName ? nanos : this.#lastName + 1n;
    const name = eventName(object.metadata.name ?? "", this.#lastName, random);
    return makeEvent(object, record, { reportingController, reportingInstance, time: formatMicroTime(micros), name });
  }

  /** Counts a repetition in an existing series. Returns false if there is none, or if the last one is too long ago. */
  #repeat(key: string, time: string, monotonic: number): boolean {
    const series = this.#series.get(key);
    if (series === undefined) return false;
    if (monotonic - series.lastAt > this.#limits.seriesWindowMs) {
      this.#series.delete(key);
      this.#sendCount(series);
      return false;
    }
    series.count = Math.min(series.count + 1, countMax);
    series.lastTime = time;
    series.lastAt = monotonic;
    return true;
  }

  #startSeries(series: Series): void {
    const evicted = this.#series.set(series.key, series);
    if (evicted !== undefined) this.#sendCount(evicted);
    this.#enqueue(series);
  }

  /**
   * Queues the final count of a series that is being dropped from memory, if the server does not have it and the limit
   * allows it.
   */
  #sendCount(series: Series): void {
    if (!isBehind(series) || this.#queue.has(series)) return;
    if (this.#budgets.take(series.object)) this.#enqueue(series);
    else this.#drop(series.event, "rate-limited");
  }

  /**
   * Queues the series whose current count the server does not have, as far as allowed, and drops those that have
   * ended.
   */
  #collect(isAllowed: (series: Series) => boolean): void {
    const now = this.#options.clock.monotonic();
    for (const series of this.#series.values()) {
      if (isBehind(series) && !this.#queue.has(series)) {
        if (!isAllowed(series)) continue;
        this.#enqueue(series);
      }
      if (now - series.lastAt > this.#limits.seriesWindowMs) this.#series.delete(series.key);
    }
  }

  #enqueue(series: Series): void {
    if (this.#queue.size >= this.#limits.queueMax) {
      this.#giveUp(series, "queue-full");
      return;
    }
    this.#queue.add(series);
    this.#workAdded.abort();
  }

  /** Sends queued series until the queue is empty or the signal aborts. */
  async #sendAll(signal: AbortSignal, attemptsMax: number): Promise<void> {
    for (const series of this.#queue) {
      if (signal.aborted) return;
      await this.#sendOne(series, { signal, attemptsMax });
      // Stopped before it could be sent: it stays in the queue for one last attempt.
      if (!signal.aborted || !isBehind(series)) this.#queue.delete(series);
    }
    this.#resolveDrained();
  }

  async #sendOne(series: Series, { signal, attemptsMax }: { signal: AbortSignal; attemptsMax: number }): Promise<void> {
    const { clock, random } = this.#options;
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.#send(series, signal);
        return;
      } catch (error) {
        if (signal.aborted) return;
        if (attempt >= attemptsMax || !isRetryable(error)) {
          this.#giveUp(series, "failed", error);
          return;
        }
        const delayMs = Math.min(backoffCapMs, backoffBaseMs * 2 ** attempt) * (0.5 + 0.5 * random.next());
        await pause(clock, Math.max(delayMs, Math.min(retryAfterMsOf(error) ?? 0, retryAfterMaxMs)), [signal]);
        if (signal.aborted) return;
      }
    }
  }

  /** Creates the event of a series, or updates its count. */
  async #send(series: Series, signal: AbortSignal): Promise<void> {
    const { sink, clock, requestTimeoutMs = 10_000 } = this.#options;
    const bounds = { clock, timeoutMs: requestTimeoutMs, signal };
    const { count } = series;
    if (series.isCreated) {
      try {
        await request(bounds, (inner) => sink.patch(eventOf(series), inner));
        this.#noteSent(series, count);
        return;
      } catch (error) {
        if (!(error instanceof NotFoundError)) throw error;
        series.isCreated = false;
      }
    }
    try {
      await request(bounds, (inner) => sink.create(eventOf(series), inner));
      this.#noteSent(series, count);
    } catch (error) {
      if (!(error instanceof AlreadyExistsError)) throw error;
      // The name is unique, so the event exists because an earlier attempt succeeded although its response was lost.
      // That attempt may have sent a lower count.
      series.isCreated = true;
      if (count > 1) await request(bounds, (inner) => sink.patch(eventOf(series), inner));
      this.#noteSent(series, count);
    }
  }

  #noteSent(series: Series, count: number): void {
    series.isCreated = true;
    series.countSent = count;
    this.#options.meter?.sent();
  }

  /**
   * Drops the pending update of a series. A series that the server does not have is removed, so that the next
   * occurrence creates a new event.
   */
  #giveUp(series: Series, reason: EventDrop, error?: unknown): void {
    if (!series.isCreated) this.#series.delete(series.key);
    series.countSent = series.count;
    this.#drop(series.event, reason, error);
  }

  #drop(event: Event, reason: EventDrop, error?: unknown): void {
    this.#options.meter?.dropped(reason);
    this.#drops.add(event, reason, error);
    this.#reportDrops();
  }

  /** Reports the drops since the last report, unless that was less than `flushPeriodMs` ago. */
  #reportDrops(): void {
    const now = this.#options.clock.monotonic();
    const dropped = now < this.#reportAt ? undefined : this.#drops.take();
    if (dropped === undefined) return;
    this.#reportAt = now + this.#limits.flushPeriodMs;
    this.#options.onDrops?.(dropped);
  }

  #resolveDrained(): void {
    const waiting = this.#drained;
    this.#drained = [];
    for (const resolve of waiting) resolve();
  }
}

/** Reports whether a retry could succeed. It cannot if the server has rejected the event. */
function isRetryable(error: unknown): boolean {
  return error instanceof ApiError ? classify(error) === "transient" : classify(error) !== "terminal";
}
