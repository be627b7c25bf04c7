import { reasonsMax } from "../queue/reasons.ts";

/** The pending state of a key in the model. */
export interface NextRun {
  /** Due time; in the past if it is ready. */
  dueAt: number;
  priority: number;
  adds: number;
  reasons: string[];
  /** Order of the adds, of becoming ready, and of getting the current priority. */
  addOrder: number;
  takeableSince: number;
  inPrioritySince: number;
  isReady: boolean;
}

/** The state of a key in the model. */
export interface ModelKey {
  startedAt: number | undefined;
  runningPriority: number;
  next: NextRun | undefined;
  failures: number;
  counted: number;
  retryAt: number;
  delayMs: number;
}

/** The item that the model expects to be handed out. */
export interface Expected {
  readonly key: string;
  readonly priority: number;
  readonly attempt: number;
  readonly adds: number;
  readonly reasons: readonly string[];
  readonly reasonsOmitted: number;
}

/**
 * The expected behavior of a work queue in its simplest form: one map that is scanned for everything, without heap,
 * list or timer.
 */
export class QueueModel {
  now = 0;
  isClosed = false;
  readonly keys: Map<string, ModelKey> = new Map();
  readonly delays: (failures: number) => number;
  readonly overtakesMax: number;
  #sequence = 0;
  #oldest: string | undefined;
  #overtakes = 0;

  constructor({ delays, overtakesMax }: { delays: (failures: number) => number; overtakesMax: number }) {
    this.delays = delays;
    this.overtakesMax = overtakesMax;
  }

  get running(): string[] {
    return [...this.keys].filter(([, { startedAt }]) => startedAt !== undefined).map(([key]) => key);
  }

  get waiting(): NextRun[] {
    return [...this.keys.values()].flatMap(({ next }) => (next?.isReady === true ? [next] : []));
  }

  get delayed(): NextRun[] {
    return [...this.keys.values()].flatMap(({ next }) => (next?.isReady === false ? [next] : []));
  }

  add(key: string, { dueAt, priority, reason }: { dueAt: number; priority: number; reason: string | undefined }): void {
    if (this.isClosed) return;
    const entry = this.#key(key);
    if (entry.next === undefined) {
      const sequence = this.#tick();
      entry.next = {
        dueAt,
        priority,
        adds: 0,
        reasons: [],
        addOrder: sequence,
        takeableSince: 0,
        inPrioritySince: 0,
        isReady: false,
      };
    }
    const { next } = entry;
    next.adds += 1;
    if (reason !== undefined) next.reasons.push(reason);
    if (priority > next.priority) {
      next.priority = priority;
      next.inPrioritySince = this.#tick();
    }
    if (!next.isReady) next.dueAt = Math.min(next.dueAt, dueAt);
    this.#becomeReady();
  }

  advance(ms: number): void {
    this.now += ms;
    this.#becomeReady();
  }

  /** Returns the key to hand out next. */
  take(): Expected | undefined {
    const candidates = [...this.keys].flatMap(([key, entry]) =>
      entry.next?.isReady === true && entry.startedAt === undefined ? [{ key, entry, next: entry.next }] : [],
    );
    const [oldest] = candidates.toSorted((a, b) => a.next.takeableSince - b.next.takeableSince);
    if (oldest === undefined) return undefined;
    if (this.#oldest !== oldest.key) {
      this.#oldest = oldest.key;
      this.#overtakes = 0;
    }
    const [highest = oldest] = candidates.toSorted(
      (a, b) => b.next.priority - a.next.priority || a.next.inPrioritySince - b.next.inPrioritySince,
    );
    const chosen = this.#overtakes >= this.overtakesMax ? oldest : highest;
    if (chosen === oldest) this.#oldest = undefined;
    else this.#overtakes += 1;
    const { key, entry, next } = chosen;
    entry.startedAt = this.now;
    entry.runningPriority = next.priority;
    entry.next = undefined;
    const distinct = [...new Set(next.reasons)];
    const kept = distinct.slice(0, reasonsMax);
    return {
      key,
      priority: next.priority,
      attempt: entry.failures + 1,
      adds: next.adds,
      reasons: kept,
      reasonsOmitted: next.reasons.filter((reason) => !kept.includes(reason)).length,
    };
  }

  done(key: string): void {
    this.forget(key);
    this.#release(key);
  }

  fail(key: string): void {
    const entry = this.#key(key);
    if (!this.isClosed) {
      entry.failures += 1;
      const wasWaitedFor = entry.counted === 0 || (entry.startedAt ?? 0) >= entry.retryAt;
      if (wasWaitedFor) {
        entry.counted += 1;
        entry.delayMs = this.delays(entry.counted);
        entry.retryAt = this.now + entry.delayMs;
      } else if (entry.retryAt <= this.now) entry.retryAt = this.now + entry.delayMs;
      this.add(key, { dueAt: entry.retryAt, priority: entry.runningPriority, reason: "retry" });
    }
    this.#release(key);
  }

  forget(key: string): void {
    const entry = this.keys.get(key);
    if (entry === undefined) return;
    entry.failures = 0;
    entry.counted = 0;
    entry.retryAt = 0;
    entry.delayMs = 0;
  }

  cancel(key: string): boolean {
    const entry = this.keys.get(key);
    if (entry?.next === undefined) return false;
    if (this.#oldest === key) this.#oldest = undefined;
    entry.next = undefined;
    if (entry.startedAt === undefined) this.keys.delete(key);
    return true;
  }

  close(waiting: "drop" | "drain"): void {
    this.isClosed = true;
    for (const [key, { next }] of this.keys) {
      if (next !== undefined && (waiting === "drop" || !next.isReady)) this.cancel(key);
    }
  }

  #key(key: string): ModelKey {
    const known = this.keys.get(key);
    if (known !== undefined) return known;
    const created: ModelKey = {
      startedAt: undefined,
      runningPriority: 0,
      next: undefined,
      failures: 0,
      counted: 0,
      retryAt: 0,
      delayMs: 0,
    };
    this.keys.set(key, created);
    return created;
  }

  #release(key: string): void {
    const entry = this.#key(key);
    entry.startedAt = undefined;
    if (entry.next === undefined) this.keys.delete(key);
    else if (entry.next.isReady) this.#takeable(entry.next);
  }

  #becomeReady(): void {
    const due = [...this.keys.values()].flatMap((entry) =>
      entry.next !== undefined && !entry.next.isReady && entry.next.dueAt <= this.now
        ? [{ entry, next: entry.next }]
        : [],
    );
    due.sort((a, b) => a.next.dueAt - b.next.dueAt || a.next.addOrder - b.next.addOrder);
    for (const { entry, next } of due) {
      next.isReady = true;
      if (entry.startedAt === undefined) this.#takeable(next);
    }
  }

  #takeable(next: NextRun): void {
    next.takeableSince = this.#tick();
    next.inPrioritySince = this.#tick();
  }

  #tick(): number {
    this.#sequence += 1;
    return this.#sequence;
  }
}
