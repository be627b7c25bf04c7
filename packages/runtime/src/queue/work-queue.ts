// Longer than most files: one state machine, whose states are those of `WaitState` in entry.ts.

import { ArgumentError, type Clock } from "@homeostat/core";
import { SteadyMap } from "../internal/steady-map.ts";
import { Alarm } from "./alarm.ts";
import { Breather } from "./breather.ts";
import { DelayHeap } from "./delay-heap.ts";
import { Entry } from "./entry.ts";
import { type FailureState, nextFailure } from "./failure.ts";
import { Level } from "./level.ts";
import { type AddOptions, checkPriority, type FailOptions, type QueueItem, type Retry } from "./queue-item.ts";
import type { QueueMeter, WorkQueueMetrics } from "./queue-metrics.ts";
import { ReadyList } from "./ready-list.ts";
import { exponentialBackoff, type RetryLimiter } from "./retry-limiter.ts";
import { type QueueSnapshot, takeSnapshot } from "./snapshot.ts";
import { Waiters } from "./waiters.ts";

/** Options of a {@link WorkQueue}. */
export interface WorkQueueOptions {
  /** Names the queue in metrics and snapshots; usually the name of the controller. */
  readonly name: string;
  readonly clock: Clock;
  /** How long a key that failed waits. Default: {@link exponentialBackoff} from 5 ms to 1000 s. */
  readonly retry?: RetryLimiter;
  /**
   * How many times in a row the key that has waited longest is passed over for ones of higher priority. Default 3: of four
   * hand-outs, one goes by age alone.
   */
  readonly overtakesMax?: number;
  readonly metrics?: WorkQueueMetrics;
}

/** How a queue is closed. */
export interface CloseOptions {
  /** What becomes of keys that are ready: `"drop"`, the default, or `"drain"`, and they are still handed out. */
  readonly waiting?: "drop" | "drain";
}

/** So many entries are kept to be used again. */
const spareMax = 256;

/**
 * A queue of keys in which each key waits at most once.
 *
 * A key added while it is being worked on is held back and handed out again after `done`, so two workers never hold the
 * same key. What is added with a delay waits outside; of several times for one key the earliest holds. Higher priorities go
 * first, but nothing starves: see `overtakesMax`. A queue at rest holds no timer, one with delays holds a single one.
 *
 * @example
 * for await (const item of queue.take(signal)) {
 *   try {
 *     await reconcile(item.key, signal);
 *     queue.done(item);
 *   } catch (error) {
 *     const retry = queue.fail(item);
 *     log.error("reconcile failed", { key: item.key, error, attempt: item.attempt, nextRetryAt: retry?.nextRetryAt });
 *   }
 * }
 */
export class WorkQueue implements Disposable {
  readonly name: string;
  readonly #clock: Clock;
  readonly #retry: RetryLimiter;
  readonly #meter: QueueMeter | undefined;
  readonly #alarm: Alarm;
  readonly #breather: Breather;
  /** Every key that is waiting, delayed or being worked on. */
  readonly #entries = new SteadyMap<string, Entry>();
  /**
   * Entries that can be used again. With many keys an entry is old before its turn comes, and old ones are dear to
   * collect: without this, a key costs four times as much when a hundred thousand wait.
   */
  readonly #spare: Entry[] = [];
  readonly #ready: ReadyList;
  readonly #delays = new DelayHeap();
  /** Those being worked on, in no order; each knows its place. */
  readonly #running: Entry[] = [];
  readonly #takers = new Waiters<QueueItem>();
  readonly #idlers = new Waiters<true>();
  readonly #usual = new Level(0);
  /** Every priority that was ever used. */
  readonly #levels = new Map<number, Level>([[0, this.#usual]]);
  /** The monotonic time as of which the present call decides. */
  #now = 0;
  #held = 0;
  #orders = 0;
  #isClosed = false;
  #isDispatching = false;

  constructor({ name, clock, retry = exponentialBackoff(), overtakesMax = 3, metrics }: WorkQueueOptions) {
    if (!Number.isSafeInteger(overtakesMax) || overtakesMax < 0) {
      const problem = `is ${overtakesMax}; it must be a whole number of at least 0.`;
      throw new ArgumentError({ argument: "overtakesMax", problem });
    }
    this.name = name;
    this.#clock = clock;
    this.#retry = retry;
    this.#ready = new ReadyList(overtakesMax);
    this.#breather = new Breather(clock);
    this.#alarm = new Alarm(clock, () => {
      this.#promote();
      this.#alarm.set(this.#delays.first?.dueAt);
    });
    this.#meter = metrics?.measure(name, { depths: () => this.depths(), runningMs: () => this.#runningMs() });
  }

  /** How many keys wait to be handed out, those included that wait for the end of their own run. */
  get waiting(): number {
    this.#promote();
    return this.#ready.size + this.#held;
  }

  /** How many keys have a delay before them. */
  get delayed(): number {
    this.#promote();
    return this.#delays.size;
  }

  /** How many keys are being worked on. */
  get running(): number {
    return this.#running.length;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Asks for a run of the key as soon as can be, whatever delay it had. Does nothing once the queue is closed. */
  add(key: string, options?: AddOptions): void {
    checkPriority(options);
    this.#promote();
    if (!this.#isClosed) this.#schedule(this.#want(key, options), this.#now);
  }

  /**
   * Asks for a run of the key after a delay. It does nothing more when one is wanted earlier anyway, as every run finds
   * out for itself when it wants the next one.
   */
  addAfter(key: string, delayMs: number, options?: AddOptions): void {
    if (!Number.isFinite(delayMs)) {
      const problem = `is ${delayMs}; it must be a finite number. To wait for events alone, add nothing.`;
      throw new ArgumentError({ argument: "delayMs", problem });
    }
    checkPriority(options);
    this.#promote();
    if (this.#isClosed) return;
    if (delayMs > 0) this.#meter?.retried();
    this.#schedule(this.#want(key, options), this.#now + Math.max(0, delayMs));
  }

  /** The next key, if one is ready. It is yours until you give it to `done` or `fail`. */
  next(): QueueItem | undefined {
    this.#promote();
    const entry = this.#ready.take();
    if (entry === undefined) return undefined;
    const item = entry.begin(this.#now);
    entry.slot = this.#running.push(entry) - 1;
    entry.level.depth -= 1;
    this.#meter?.taken(item.waitedMs);
    return item;
  }

  /**
   * Waits for the next key. `undefined` when the queue is closed and has no more; rejects with the signal's reason when
   * that aborts first.
   *
   * To one that waits, keys are handed out when the code that adds them has returned: a burst of adds is one run. To one
   * that never has to wait, a key now and then comes a moment later, so that timers and sockets get their turn.
   */
  async wait(signal?: AbortSignal): Promise<QueueItem | undefined> {
    const item = await this.#nextOrEnd(signal);
    if (item === undefined) signal?.throwIfAborted();
    return item;
  }

  /** The keys as they come, until the signal aborts or the queue is closed. Each worker may iterate for itself. */
  async *take(signal?: AbortSignal): AsyncGenerator<QueueItem, void, undefined> {
    for (;;) {
      const item = await this.#nextOrEnd(signal);
      if (item === undefined) return;
      yield item;
    }
  }

  /** Puts a key down after a run that went well: its failures are forgotten. Throws when the item was put down before. */
  done(item: QueueItem): void {
    const entry = this.#heldBy(item);
    this.#promote();
    entry.failure = undefined;
    this.#release(entry);
  }

  /**
   * Puts a key down after a run that failed, and has it tried again after a delay; unless it was added meanwhile, which
   * means at once. Returns when, or `undefined` once the queue is closed, as then there is no other time.
   *
   * Only a failure before which the delay was waited for makes the next delay longer. When an event brought the key
   * earlier and it fails again, it is tried again when it would have been without that event; ten events during an outage
   * do not make ten steps towards the longest delay. If the run took so long that this moment has passed, the same
   * delay is waited for again.
   *
   * With `delayMs` that delay holds, from now on, instead of the limiter's.
   *
   * Throws when the item was put down before, or when the limiter returns what is no delay; the item is then still held.
   */
  fail(item: QueueItem, { delayMs, ...options }: FailOptions = {}): Retry | undefined {
    checkPriority(options);
    if (delayMs !== undefined && !(delayMs >= 0 && delayMs < Infinity)) {
      throw new ArgumentError({ argument: "delayMs", problem: `is ${delayMs}; it must be finite and not negative.` });
    }
    const entry = this.#heldBy(item);
    this.#promote();
    if (this.#isClosed) {
      this.#release(entry);
      return undefined;
    }
    const failure = nextFailure({
      key: entry.key,
      before: entry.failure,
      startedAt: entry.startedAt,
      now: this.#now,
      retry: this.#retry,
      delayMs,
    });
    entry.failure = failure;
    this.#meter?.retried();
    this.#want(entry.key, { priority: item.priority, reason: "retry", ...options });
    this.#schedule(entry, failure.retryAt);
    this.#release(entry);
    return this.#describeRetry(entry.key, failure);
  }

  /** Forgets that a key failed, because it is no longer the same: its spec has changed. Its delay, if any, goes on. */
  forget(key: string): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined) entry.failure = undefined;
  }

  /** Takes back whatever was added for a key. A run that is going on is not touched. False when there was nothing. */
  cancel(key: string): boolean {
    this.#promote();
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.wait === "none") return false;
    this.#withdraw(entry);
    this.#alarm.set(this.#delays.first?.dueAt);
    this.#settle();
    return true;
  }

  /** How things stand with a key that failed; `undefined` for one that did not, or that has succeeded since. */
  retryOf(key: string): Retry | undefined {
    const failure = this.#entries.get(key)?.failure;
    return failure === undefined ? undefined : this.#describeRetry(key, failure);
  }

  /**
   * Takes no more keys. Those being worked on go on, those with a delay are dropped, and those that are ready as
   * `waiting` says. Whoever waits for a key is told that there is none as soon as that is certain.
   */
  close({ waiting = "drop" }: CloseOptions = {}): void {
    this.#promote();
    this.#isClosed = true;
    for (const entry of this.#entries.values()) {
      if (entry.wait === "delayed" || (waiting === "drop" && entry.wait !== "none")) this.#withdraw(entry);
    }
    this.#alarm.set(undefined);
    this.#settle();
  }

  /** Closes the queue, drops what waits and ends its readings in the metrics. */
  [Symbol.dispose](): void {
    this.close();
    this.#meter?.[Symbol.dispose]();
  }

  /** Resolves when nothing is ready or being worked on. Rejects with the signal's reason when that aborts first. */
  async idle(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (this.waiting === 0 && this.#running.length === 0) return;
    if ((await this.#idlers.wait(signal)) === undefined) signal?.throwIfAborted();
  }

  /** How many keys wait, by priority. */
  depths(): ReadonlyMap<number, number> {
    this.#promote();
    return new Map([...this.#levels.values()].map(({ priority, depth }) => [priority, depth]));
  }

  /** What is in the queue now, at most `limit` keys of each sort. */
  inspect({ limit = 1000 }: { readonly limit?: number } = {}): QueueSnapshot {
    this.#promote();
    const offset = this.#clock.now() - this.#now;
    return takeSnapshot({
      name: this.name,
      isClosed: this.#isClosed,
      ready: this.#ready,
      readyCount: this.#ready.size,
      delayed: this.#delays.all,
      running: this.#running,
      timeOf: (monotonic) => monotonic + offset,
      limit,
    });
  }

  /** Looks at the clock, and makes ready whatever is due. */
  #promote(): void {
    this.#now = this.#clock.monotonic();
    let { first } = this.#delays;
    if (first === undefined || first.dueAt > this.#now) return;
    while (first !== undefined && first.dueAt <= this.#now) {
      this.#delays.remove(first);
      this.#makeReady(first);
      ({ first } = this.#delays);
    }
    this.#alarm.set(first?.dueAt);
  }

  /** The entry of a key that somebody wants a run of, with this one more add; it is not planned yet. */
  #want(key: string, options: AddOptions | undefined): Entry {
    const level = this.#level(options?.priority ?? 0);
    let entry = this.#entries.get(key);
    if (entry === undefined) {
      entry = this.#spare.pop()?.reuse(key, level) ?? new Entry(key, level);
      this.#entries.set(key, entry);
    }
    if (entry.wait === "none") {
      entry.level = level;
      entry.order = this.#orders;
      this.#orders += 1;
    } else if (level.priority > entry.level.priority) this.#raise(entry, level);
    entry.countAdd(options?.reason);
    return entry;
  }

  #level(priority: number): Level {
    if (priority === 0) return this.#usual;
    let level = this.#levels.get(priority);
    if (level === undefined) {
      level = new Level(priority);
      this.#levels.set(priority, level);
    }
    return level;
  }

  /** Sees to it that the next run is due by `dueAt`: the earliest time that was asked for holds. */
  #schedule(entry: Entry, dueAt: number): void {
    if (entry.wait === "ready" || entry.wait === "held") return;
    if (entry.wait === "delayed") {
      if (dueAt >= entry.dueAt) return;
      this.#delays.remove(entry);
    }
    entry.dueAt = dueAt;
    if (dueAt > this.#now) {
      entry.wait = "delayed";
      this.#delays.add(entry);
    } else this.#makeReady(entry);
    this.#alarm.set(this.#delays.first?.dueAt);
  }

  #raise(entry: Entry, level: Level): void {
    if (entry.wait !== "delayed") {
      entry.level.depth -= 1;
      level.depth += 1;
    }
    if (entry.wait === "ready") this.#ready.move(entry, level);
    else entry.level = level;
  }

  #makeReady(entry: Entry): void {
    entry.level.depth += 1;
    this.#meter?.added();
    if (entry.item === undefined) this.#offer(entry);
    else {
      entry.wait = "held";
      this.#held += 1;
    }
  }

  #offer(entry: Entry): void {
    entry.wait = "ready";
    this.#ready.add(entry);
    this.#wakeTakers();
  }

  /** Takes back the next run of an entry that has one. */
  #withdraw(entry: Entry): void {
    if (entry.wait === "delayed") this.#delays.remove(entry);
    else entry.level.depth -= 1;
    if (entry.wait === "ready") this.#ready.remove(entry);
    if (entry.wait === "held") this.#held -= 1;
    entry.drop();
    if (entry.item === undefined) this.#drop(entry);
  }

  /** Forgets a key of which there is nothing more to know. */
  #drop(entry: Entry): void {
    this.#entries.delete(entry.key);
    if (this.#spare.length < spareMax) this.#spare.push(entry);
  }

  #heldBy(item: QueueItem): Entry {
    const entry = this.#entries.get(item.key);
    if (entry?.item === item) return entry;
    const problem = `for ${item.key} is not held. Give each item to done or fail once, and to the queue it came from.`;
    throw new ArgumentError({ argument: "item", problem });
  }

  #release(entry: Entry): void {
    entry.item = undefined;
    const last = this.#running.pop();
    if (last !== undefined && last !== entry) {
      this.#running[entry.slot] = last;
      last.slot = entry.slot;
    }
    this.#meter?.finished(this.#now - entry.startedAt);
    if (entry.wait === "held") {
      this.#held -= 1;
      this.#offer(entry);
    } else if (entry.wait === "none") this.#drop(entry);
    this.#settle();
  }

  #describeRetry(key: string, { failures, countedFailures, delayMs, retryAt }: FailureState): Retry {
    const nextRetryAt = this.#clock.now() + retryAt - this.#clock.monotonic();
    return { key, failures, countedFailures, delayMs, nextRetryAt };
  }

  *#runningMs(): Generator<number, void, undefined> {
    const now = this.#clock.monotonic();
    for (const { startedAt } of this.#running) yield now - startedAt;
  }

  async #nextOrEnd(signal: AbortSignal | undefined): Promise<QueueItem | undefined> {
    const pause = this.#ready.size > 0 ? this.#breather.pause() : undefined;
    if (pause !== undefined) await pause;
    if (signal?.aborted === true) return undefined;
    // Whoever waits already comes first.
    const item = this.#takers.size === 0 ? this.next() : undefined;
    if (item !== undefined || this.#isOver) return item;
    return this.#takers.wait(signal);
  }

  /** Whether there will never be another key. */
  get #isOver(): boolean {
    return this.#isClosed && this.#ready.size === 0 && this.#held === 0;
  }

  #wakeTakers(): void {
    if (this.#takers.size === 0 || this.#isDispatching) return;
    this.#isDispatching = true;
    queueMicrotask(() => {
      this.#isDispatching = false;
      while (this.#takers.size > 0) {
        const item = this.next();
        if (item === undefined) break;
        this.#takers.give(item);
      }
      this.#settle();
    });
  }

  /** Tells whoever waits for an end that it has come. */
  #settle(): void {
    if (this.#isOver) this.#takers.giveAll();
    if (this.#idlers.size > 0 && this.#ready.size + this.#held + this.#running.length === 0) this.#idlers.giveAll(true);
  }
}
