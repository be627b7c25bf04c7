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
import { countMax, eventOf, isBehind, kindOfEvent, Notes, objectKey, type Series } from "./series.ts";

const backoffBaseMs = 500;
const backoffCapMs = 10_000;
/** A server that asks for more patience than this gets no more. */
const retryAfterMaxMs = 60_000;

/** Stands before the note of an event that counts for others with different notes too. */
const combinedMark = "(combined from similar events): ";

/**
 * Records events about objects (`events.k8s.io/v1`) without ever holding up or failing whoever records.
 *
 * What happens again counts as a series, which is sent now and then; so do events with ever-changing notes. Writes about
 * one object are limited, memory too. Events are a courtesy: when the server cannot be reached, they are dropped in the end.
 *
 * @example
 * const events = new EventRecorder({ sink, clock, random, reportingController: "homeostat.dev/locust", reportingInstance });
 * const running = events.run(signal);
 * events.record(test, { type: "Normal", reason: "Started", action: "CreateJob", note: "The master job was created." });
 */
export class EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #limits: Required<Pick<EventRecorderOptions, "seriesWindowMs" | "flushPeriodMs" | "queueMax" | "triesMax">>;
  readonly #budgets: Budgets;
  readonly #notes: Notes;
  readonly #series: LruMap<string, Series>;
  /** What waits to be sent, in order. */
  readonly #queue = new Set<Series>();
  /** Those who wait until nothing waits to be sent. */
  #drained: (() => void)[] = [];
  #wake = new AbortController();
  #life: "waiting" | "running" | "over" = "waiting";
  #lastName = 0n;
  readonly #drops = new DropLog();
  /** The monotonic time from which drops may be reported again. */
  #reportAt = -Infinity;

  constructor(options: EventRecorderOptions) {
    checkReporter(options);
    const { clock, burst = 25, refillMs = 300_000, notesMax = 10, notesWindowMs = 600_000, keysMax = 4096 } = options;
    const { seriesWindowMs = 360_000, flushPeriodMs = 30_000, queueMax = 1000, triesMax = 6 } = options;
    this.#options = options;
    this.#limits = { seriesWindowMs, flushPeriodMs, queueMax, triesMax };
    this.#budgets = new Budgets({ burst, refillMs, objectsMax: keysMax, clock });
    this.#notes = new Notes({ notesMax, windowMs: notesWindowMs, kindsMax: keysMax });
    this.#series = new LruMap(keysMax);
  }

  /** Notes that something happened to an object. Throws `ArgumentError` for a record that no server would take. */
  record(object: EventSubject, record: EventRecord): void {
    const { clock } = this.#options;
    const event = this.#make(object, record);
    const monotonic = clock.monotonic();
    this.#options.meter?.recorded();
    const kind = kindOfEvent(event);
    const isApart = this.#notes.isApart(kind, event.note ?? "", monotonic);
    const key = isApart ? `${kind}${event.note}` : kind;
    if (this.#repeat(key, event.eventTime, monotonic)) return;
    const subject = objectKey(event.regarding ?? {});
    if (this.#life === "over") this.#drop(event, "stopped");
    else if (this.#budgets.take(subject)) {
      const first = isApart ? event : { ...event, note: formatNote(`${combinedMark}${record.note}`) };
      this.#begin({
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

  /** Sends what is recorded until the signal aborts; then sends what is left, for a short while, and ends. */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#life !== "waiting") throw new ArgumentError({ argument: "run", problem: "was called before." });
    const { clock, stopGraceMs = 3_000 } = this.#options;
    this.#life = "running";
    let flushAt = clock.monotonic() + this.#limits.flushPeriodMs;
    while (!signal.aborted) {
      await this.#sendAll(signal, this.#limits.triesMax);
      if (this.#queue.size === 0) await pause(clock, flushAt - clock.monotonic(), [signal, this.#wake.signal]);
      if (this.#wake.signal.aborted) this.#wake = new AbortController();
      if (clock.monotonic() < flushAt) continue;
      flushAt = clock.monotonic() + this.#limits.flushPeriodMs;
      this.#collect((series) => this.#budgets.take(series.object));
      this.#reportDrops();
    }
    this.#life = "over";
    using grace = clock.timeout(stopGraceMs);
    this.#collect(() => true);
    await this.#sendAll(grace.signal, 1);
    for (const series of this.#queue) this.#drop(series.event, "stopped");
    this.#queue.clear();
    this.#reportAt = -Infinity;
    this.#reportDrops();
    this.#settle();
  }

  /**
   * Sends the counts of all series now, and resolves when everything recorded so far was sent or dropped.
   *
   * It is `run` that sends: before that is called, this waits.
   */
  async flush(): Promise<void> {
    this.#collect(() => true);
    if (this.#queue.size === 0 || this.#life === "over") return;
    this.#wake.abort();
    await new Promise<void>((resolve) => void this.#drained.push(resolve));
  }

  /** How many series are remembered and how many events wait to be sent: both have a limit. */
  get size(): { readonly series: number; readonly waiting: number } {
    return { series: this.#series.size, waiting: this.#queue.size };
  }

  #make(object: EventSubject, record: EventRecord): Event {
    const { clock, random, reportingController, reportingInstance } = this.#options;
    const micros = microsFromMs(clock.now());
    // Two events in a microsecond, or after the clock was set back, must not get the same name.
    const nanos = micros * 1000n;
    this.#lastName = nanos > this.#lastName ? nanos : this.#lastName + 1n;
    const name = eventName(object.metadata.name ?? "", this.#lastName, random);
    return makeEvent(object, record, { reportingController, reportingInstance, time: formatMicroTime(micros), name });
  }

  /** Counts one more of a series that goes on; false when there is none. */
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

  #begin(series: Series): void {
    const evicted = this.#series.set(series.key, series);
    if (evicted !== undefined) this.#sendCount(evicted);
    this.#enqueue(series);
  }

  /** Queues a last count of a series that is forgotten, if there is one to send and it may. */
  #sendCount(series: Series): void {
    if (!isBehind(series) || this.#queue.has(series)) return;
    if (this.#budgets.take(series.object)) this.#enqueue(series);
    else this.#drop(series.event, "rate-limited");
  }

  /** Queues the series whose count the server does not know, as far as allowed, and forgets those that are over. */
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
    this.#wake.abort();
  }

  /** Sends what waits until nothing does, or the signal aborts. */
  async #sendAll(signal: AbortSignal, triesMax: number): Promise<void> {
    for (const series of this.#queue) {
      if (signal.aborted) return;
      await this.#sendOne(series, { signal, triesMax });
      // Told to stop before it could be sent: it stays, for one last try.
      if (!signal.aborted || !isBehind(series)) this.#queue.delete(series);
    }
    this.#settle();
  }

  async #sendOne(series: Series, { signal, triesMax }: { signal: AbortSignal; triesMax: number }): Promise<void> {
    const { clock, random } = this.#options;
    for (let tries = 1; ; tries += 1) {
      try {
        await this.#send(series, signal);
        return;
      } catch (error) {
        if (signal.aborted) return;
        if (tries >= triesMax || !mayPass(error)) {
          this.#giveUp(series, "failed", error);
          return;
        }
        const delayMs = Math.min(backoffCapMs, backoffBaseMs * 2 ** tries) * (0.5 + 0.5 * random.next());
        await pause(clock, Math.max(delayMs, Math.min(retryAfterMsOf(error) ?? 0, retryAfterMaxMs)), [signal]);
        if (signal.aborted) return;
      }
    }
  }

  /** Creates the event of a series, or brings its count up to date. */
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
      // The name is ours alone: an earlier try got through, though its answer did not. It may have had a lower count.
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

  /** Drops what a series had to tell. One that the server does not know is forgotten, so that the next try is a new event. */
  #giveUp(series: Series, why: EventDrop, error?: unknown): void {
    if (!series.isCreated) this.#series.delete(series.key);
    series.countSent = series.count;
    this.#drop(series.event, why, error);
  }

  #drop(event: Event, why: EventDrop, error?: unknown): void {
    this.#options.meter?.dropped(why);
    this.#drops.add(event, why, error);
    this.#reportDrops();
  }

  /** Reports the drops since the last report, unless that was a moment ago. */
  #reportDrops(): void {
    const now = this.#options.clock.monotonic();
    const dropped = now < this.#reportAt ? undefined : this.#drops.take();
    if (dropped === undefined) return;
    this.#reportAt = now + this.#limits.flushPeriodMs;
    this.#options.onDrops?.(dropped);
  }

  #settle(): void {
    const waiting = this.#drained;
    this.#drained = [];
    for (const resolve of waiting) resolve();
  }
}

/** Whether sending it again could help: not when the server answered that it does not want it. */
function mayPass(error: unknown): boolean {
  return error instanceof ApiError ? classify(error) === "transient" : classify(error) !== "terminal";
}
