// Longer than most files: this is one state machine. Its states are those of `PendingState` in entry.ts.
//
//                 addAfter, fail                    add, or the delay has ended
//          none ─────────────────▶ delayed ─────────────────────────────────────┐
//           │                                                                    ▼
//           │  add                                            is the key being processed?
//           └───────────────────────────────────────────────▶  no: ready    yes: held
//                                                                │            │ done, fail
//          none ◀──────────── next(): handed out ────────────────┴──── ready ◀┘
//
// "Being processed" (`item`) is independent of these states: a key can be handed out and pending at the same time. That is
// what prevents both classic faults of a queue of keys. If a change during a reconcile were merged into that reconcile, it
// would be lost whenever the reconciler had already read the object. If it were handed out at once, two workers would
// reconcile one object, each from its own view, and overwrite each other's writes.

import { ArgumentError, type Clock } from "@homeostat/core";
import { EventLoopYielder } from "../performance/event-loop-yielder.ts";
import { SteadyMap } from "../performance/steady-map.ts";
import { Alarm } from "./alarm.ts";
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

/** Time for which keys are handed out before the event loop gets a turn. */
const turnMsMax = 20;

/** Options of a {@link WorkQueue}. */
export interface WorkQueueOptions {
  /** Name of the queue in metrics and snapshots, usually that of the controller. */
  readonly name: string;
  readonly clock: Clock;
  /** Delay before a failed key is retried. Default: {@link exponentialBackoff} from 5 ms to 1000 s. */
  readonly retry?: RetryLimiter;
  /**
   * Number of times in a row that the key waiting longest is passed over for keys of higher priority. Default 3: every
   * fourth key is chosen by age alone.
   */
  readonly overtakesMax?: number;
  readonly metrics?: WorkQueueMetrics;
}

/** Options of {@link WorkQueue.close}. */
export interface CloseOptions {
  /** Treatment of keys that are ready: `"drop"` (default) removes them, `"drain"` still hands them out. */
  readonly waiting?: "drop" | "drain";
}

/** Number of unused entries kept for reuse. */
const spareMax = 256;

/**
 * A queue of keys in which each key waits at most once: the counterpart of client-go's rate-limiting workqueue and of
 * controller-runtime's priority queue.
 *
 * client-go keeps a dirty set (keys to process) and a processing set (keys handed out). Here both are fields of one
 * {@link Entry} per key: `pending` is the membership in the dirty set, `item` that in the processing set. The rules
 * are the same:
 *
 * - A key added several times before it is handed out is handed out once.
 * - A key added while it is being processed is held back and handed out again after `done` or `fail`. So two workers
 *   never process the same key, and a change that arrives during processing is never lost.
 *
 * In addition:
 *
 * - Of several delays for one key, the earliest holds.
 * - Keys of higher priority go first, but none starves: see `overtakesMax`.
 * - The failure history of a key is part of its entry: a limiter need not store keys, and `done` resets it without a
 *   separate call of `Forget`.
 * - An idle queue holds no timer, a queue with delayed keys a single one.
 *
 * @example
 * for await (const item of queue.take(signal)) {
 *   try {
 *     await reconcile(item.key, signal);
 *     queue.done(item);
 *   } catch (error) {
 *     const retry = queue.fail(item);
 *     log.error("Reconcile failed", { key: item.key, error, attempt: item.attempt, nextRetryAt: retry?.nextRetryAt });
 *   }
 * }
 */
export class WorkQueue implements Disposable {
  readonly name: string;
  readonly #clock: Clock;
  readonly #retry: RetryLimiter;
  readonly #meter: QueueMeter | undefined;
  readonly #alarm: Alarm;
  readonly #yielder: EventLoopYielder;
  /** All keys that are waiting, delayed or being processed. */
  readonly #entries = new SteadyMap<string, Entry>();
  /**
   * Entries for reuse. With many keys an entry has been promoted to the old generation before it is handed out, where
   * collecting it is expensive: without reuse, a key costs four times as much when a hundred thousand wait.
   */
  readonly #spare: Entry[] = [];
  readonly #ready: ReadyList;
  readonly #delays = new DelayHeap();
  /** Entries being processed, unordered; each knows its index (`slot`). */
  readonly #running: Entry[] = [];
  readonly #waitingWorkers = new Waiters<QueueItem>();
  readonly #idleWaiters = new Waiters<true>();
  readonly #defaultLevel = new Level(0);
  /** A level for every priority ever used. */
  readonly #levels = new Map<number, Level>([[0, this.#defaultLevel]]);
  /** Monotonic time of the current call. Read once per call, so that all its decisions agree. */
  #now = 0;
  #heldCount = 0;
  #nextOrder = 0;
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
    this.#yielder = new EventLoopYielder(clock, { turnMsMax });
    this.#alarm = new Alarm(clock, () => {
      this.#promote();
      this.#alarm.set(this.#delays.first?.dueAt);
    });
    this.#meter = metrics?.measure(name, { depths: () => this.depths(), runningMs: () => this.#runningMs() });
  }

  /** Number of keys waiting to be handed out, including those held back while they are being processed. */
  get waiting(): number {
    this.#promote();
    return this.#ready.size + this.#heldCount;
  }

  /** Number of keys whose delay has not ended. */
  get delayed(): number {
    this.#promote();
    return this.#delays.size;
  }

  /** Number of keys being processed. */
  get running(): number {
    return this.#running.length;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /**
   * Adds a key to be handed out as soon as possible, even if it was delayed. Does nothing once the queue is closed.
   */
  add(key: string, options?: AddOptions): void {
    checkPriority(options);
    this.#promote();
    if (!this.#isClosed) this.#schedule(this.#recordAdd(key, options), this.#now);
  }

  /**
   * Adds a key to be handed out after a delay. Does nothing if the key is already due earlier: that reconcile decides
   * for itself when it needs the next one.
   */
  addAfter(key: string, delayMs: number, options?: AddOptions): void {
    if (!Number.isFinite(delayMs)) {
      const problem = `is ${delayMs}; it must be a finite number. Do not add the key if only events should trigger it.`;
      throw new ArgumentError({ argument: "delayMs", problem });
    }
    checkPriority(options);
    this.#promote();
    if (this.#isClosed) return;
    if (delayMs > 0) this.#meter?.retried();
    this.#schedule(this.#recordAdd(key, options), this.#now + Math.max(0, delayMs));
  }

  /** Returns the next key if one is ready. The caller must pass the item to `done` or `fail`. */
  next(): QueueItem | undefined {
    this.#promote();
    const entry = this.#ready.take();
    if (entry === undefined) return undefined;
    const item = entry.startProcessing(this.#now);
    entry.slot = this.#running.push(entry) - 1;
    entry.level.depth -= 1;
    this.#meter?.taken(item.waitedMs);
    return item;
  }

  /**
   * Waits for the next key. Resolves with `undefined` when the queue is closed and empty; rejects with the signal's
   * reason when it aborts first.
   *
   * A waiting worker receives a key in a microtask, after the code that adds keys has returned: a burst of adds
   * becomes one item. A worker that never has to wait occasionally receives a key one event loop turn later, so that
   * timers and sockets are served.
   */
  async wait(signal?: AbortSignal): Promise<QueueItem | undefined> {
    const item = await this.#nextOrEnd(signal);
    if (item === undefined) signal?.throwIfAborted();
    return item;
  }

  /** Yields keys until the signal aborts or the queue is closed. Each worker iterates on its own. */
  async *take(signal?: AbortSignal): AsyncGenerator<QueueItem, void, undefined> {
    for (;;) {
      const item = await this.#nextOrEnd(signal);
      if (item === undefined) return;
      yield item;
    }
  }

  /** Ends the processing of a key successfully and resets its failures. Throws if the item was already returned. */
  done(item: QueueItem): void {
    const entry = this.#entryOf(item);
    this.#promote();
    entry.failure = undefined;
    this.#release(entry);
  }

  /**
   * Ends the processing of a key with a failure and schedules a retry; if the key was added meanwhile, it is handed
   * out at once. Returns the time of the retry, or `undefined` once the queue is closed, since then there is none.
   *
   * Only a failure before which the delay was served in full makes the next delay longer. If an event brings the key
   * forward and it fails again, the retry stays at the time it was scheduled for; ten events during an outage do not
   * count as ten steps towards the longest delay. If processing took so long that this time has passed, the same delay
   * is served again. (client-go counts every failure, so an object with many events soon reaches the longest delay.)
   *
   * `delayMs` replaces the limiter's delay, starting now.
   *
   * Throws if the item was already returned, or if the limiter returns an invalid delay; the item then stays in
   * processing.
   */
  fail(item: QueueItem, { delayMs, ...options }: FailOptions = {}): Retry | undefined {
    checkPriority(options);
    if (delayMs !== undefined && !(delayMs >= 0 && delayMs < Infinity)) {
      throw new ArgumentError({ argument: "delayMs", problem: `is ${delayMs}; it must be finite and not negative.` });
    }
    const entry = this.#entryOf(item);
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
    this.#recordAdd(entry.key, { priority: item.priority, reason: "retry", ...options });
    this.#schedule(entry, failure.retryAt);
    this.#release(entry);
    return this.#describeRetry(entry.key, failure);
  }

  /**
   * Resets the failures of a key, for example because its spec has changed: the new spec has not failed yet and should not
   * inherit a delay of minutes at its first failure. A current delay goes on.
   */
  forget(key: string): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined) entry.failure = undefined;
  }

  /**
   * Removes a key that is waiting or delayed. Current processing of it is not affected. Returns false if there was
   * nothing to remove.
   */
  cancel(key: string): boolean {
    this.#promote();
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.pending === "none") return false;
    this.#clearPending(entry);
    this.#alarm.set(this.#delays.first?.dueAt);
    this.#resolveWaiters();
    return true;
  }

  /** Returns the retry state of a failed key; `undefined` if it has not failed since its last success. */
  retryOf(key: string): Retry | undefined {
    const failure = this.#entries.get(key)?.failure;
    return failure === undefined ? undefined : this.#describeRetry(key, failure);
  }

  /**
   * Closes the queue. Keys being processed go on, delayed keys are dropped, and ready keys are treated as `waiting`
   * says. Waiting workers receive `undefined` as soon as no key can follow.
   *
   * Dropping keys loses nothing: the next process, or the next leader, lists all objects and adds every key again.
   */
  close({ waiting = "drop" }: CloseOptions = {}): void {
    this.#promote();
    this.#isClosed = true;
    for (const entry of this.#entries.values()) {
      if (entry.pending === "delayed" || (waiting === "drop" && entry.pending !== "none")) this.#clearPending(entry);
    }
    this.#alarm.set(undefined);
    this.#resolveWaiters();
  }

  /** Closes the queue, drops waiting keys and removes its gauges from the metrics. */
  [Symbol.dispose](): void {
    this.close();
    this.#meter?.[Symbol.dispose]();
  }

  /** Resolves when no key is ready or being processed. Rejects with the signal's reason when it aborts first. */
  async idle(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (this.waiting === 0 && this.#running.length === 0) return;
    if ((await this.#idleWaiters.wait(signal)) === undefined) signal?.throwIfAborted();
  }

  /** Returns the number of waiting keys by priority. */
  depths(): ReadonlyMap<number, number> {
    this.#promote();
    return new Map([...this.#levels.values()].map(({ priority, depth }) => [priority, depth]));
  }

  /** Returns the current contents of the queue, with at most `limit` keys per list. */
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

  /**
   * Reads the clock and moves all due keys from the delay heap to the ready list. Called first by every public method
   * that depends on delays, so that results depend on the clock alone and not on whether the timer has already fired.
   */
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

  /** Returns the entry of a key with one more add recorded. The caller schedules it. */
  #recordAdd(key: string, options: AddOptions | undefined): Entry {
    const level = this.#level(options?.priority ?? 0);
    let entry = this.#entries.get(key);
    if (entry === undefined) {
      entry = this.#spare.pop()?.reuse(key, level) ?? new Entry(key, level);
      this.#entries.set(key, entry);
    }
    if (entry.pending === "none") {
      entry.level = level;
      entry.order = this.#nextOrder;
      this.#nextOrder += 1;
    } else if (level.priority > entry.level.priority) this.#raise(entry, level);
    entry.countAdd(options?.reason);
    return entry;
  }

  #level(priority: number): Level {
    // Almost all keys have the default priority: no lookup for it.
    if (priority === 0) return this.#defaultLevel;
    let level = this.#levels.get(priority);
    if (level === undefined) {
      level = new Level(priority);
      this.#levels.set(priority, level);
    }
    return level;
  }

  /** Makes the key due at `dueAt`, unless it is already due earlier. */
  #schedule(entry: Entry, dueAt: number): void {
    if (entry.pending === "ready" || entry.pending === "held") return;
    if (entry.pending === "delayed") {
      if (dueAt >= entry.dueAt) return;
      this.#delays.remove(entry);
    }
    entry.dueAt = dueAt;
    if (dueAt > this.#now) {
      entry.pending = "delayed";
      this.#delays.add(entry);
    } else this.#makeReady(entry);
    this.#alarm.set(this.#delays.first?.dueAt);
  }

  /**
   * Raises the priority of a pending entry. Delayed keys do not count towards the depth of a level, so only the others
   * move it.
   */
  #raise(entry: Entry, level: Level): void {
    if (entry.pending !== "delayed") {
      entry.level.depth -= 1;
      level.depth += 1;
    }
    if (entry.pending === "ready") this.#ready.move(entry, level);
    else entry.level = level;
  }

  #makeReady(entry: Entry): void {
    entry.level.depth += 1;
    this.#meter?.added();
    if (entry.item === undefined) this.#moveToReady(entry);
    else {
      entry.pending = "held";
      this.#heldCount += 1;
    }
  }

  #moveToReady(entry: Entry): void {
    entry.pending = "ready";
    this.#ready.add(entry);
    this.#handOut();
  }

  /** Removes the pending state of an entry. */
  #clearPending(entry: Entry): void {
    if (entry.pending === "delayed") this.#delays.remove(entry);
    else entry.level.depth -= 1;
    if (entry.pending === "ready") this.#ready.remove(entry);
    if (entry.pending === "held") this.#heldCount -= 1;
    entry.clearPending();
    if (entry.item === undefined) this.#forgetEntry(entry);
  }

  /** Removes a key that is neither pending nor being processed. */
  #forgetEntry(entry: Entry): void {
    this.#entries.delete(entry.key);
    if (this.#spare.length < spareMax) this.#spare.push(entry);
  }

  #entryOf(item: QueueItem): Entry {
    const entry = this.#entries.get(item.key);
    if (entry?.item === item) return entry;
    const problem = `for ${item.key} is not being processed. Pass each item to done or fail once, and to the queue it came from.`;
    throw new ArgumentError({ argument: "item", problem });
  }

  #release(entry: Entry): void {
    entry.item = undefined;
    // Fill the gap with the last entry, so that removal takes constant time.
    const last = this.#running.pop();
    if (last !== undefined && last !== entry) {
      this.#running[entry.slot] = last;
      last.slot = entry.slot;
    }
    this.#meter?.finished(this.#now - entry.startedAt);
    if (entry.pending === "held") {
      this.#heldCount -= 1;
      this.#moveToReady(entry);
    } else if (entry.pending === "none") this.#forgetEntry(entry);
    this.#resolveWaiters();
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
    const pause = this.#ready.size > 0 ? this.#yielder.pause() : undefined;
    if (pause !== undefined) await pause;
    if (signal?.aborted === true) return undefined;
    // Workers that are already waiting come first.
    const item = this.#waitingWorkers.size === 0 ? this.next() : undefined;
    if (item !== undefined || this.#isExhausted) return item;
    return this.#waitingWorkers.wait(signal);
  }

  /** True if the queue is closed and no key will be handed out any more. */
  get #isExhausted(): boolean {
    return this.#isClosed && this.#ready.size === 0 && this.#heldCount === 0;
  }

  /** Hands ready keys to waiting workers in a microtask, that is, after the code that adds keys has returned. */
  #handOut(): void {
    if (this.#waitingWorkers.size === 0 || this.#isDispatching) return;
    this.#isDispatching = true;
    queueMicrotask(() => {
      this.#isDispatching = false;
      while (this.#waitingWorkers.size > 0) {
        const item = this.next();
        if (item === undefined) break;
        this.#waitingWorkers.resolveFirst(item);
      }
      this.#resolveWaiters();
    });
  }

  /** Resolves the callers that wait for the end of the queue, or for it to become idle, if that has happened. */
  #resolveWaiters(): void {
    if (this.#isExhausted) this.#waitingWorkers.resolveAll();
    if (this.#idleWaiters.size > 0 && this.#ready.size + this.#heldCount + this.#running.length === 0)
      this.#idleWaiters.resolveAll(true);
  }
}
