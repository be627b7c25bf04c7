import type { Entry } from "./entry.ts";
import type { Level } from "./level.ts";

/**
 * The entries that are ready, in the order in which they are handed out.
 *
 * The highest priority goes first and, within one priority, the earliest; but the entry that has waited longest is
 * passed over at most `overtakesMax` times in a row and then goes first whatever its priority. So nothing starves: an
 * entry behind `n` older ones is handed out after at most `(n + 1) * (overtakesMax + 1)` hand-outs, however many
 * entries of higher priority arrive; and these keep the remaining turns however many old ones wait.
 *
 * Raising priorities with age would not achieve the second half: once the objects of a large first list had been
 * raised, each new change would wait for all of them.
 */
export class ReadyList implements Iterable<Entry> {
  readonly #overtakesMax: number;
  /** Levels with at least one entry, highest priority first. There are few. */
  readonly #levels: Level[] = [];
  #oldest: Entry | undefined;
  #youngest: Entry | undefined;
  #size = 0;
  /** Number of times the oldest entry has been passed over. */
  #overtakes = 0;

  constructor(overtakesMax: number) {
    this.#overtakesMax = overtakesMax;
  }

  get size(): number {
    return this.#size;
  }

  add(entry: Entry): void {
    entry.older = this.#youngest;
    if (this.#youngest === undefined) this.#oldest = entry;
    else this.#youngest.younger = entry;
    this.#youngest = entry;
    this.#size += 1;
    this.#enterLevel(entry);
  }

  /** Removes an entry, which must be in the list. */
  remove(entry: Entry): void {
    if (entry === this.#oldest) this.#overtakes = 0;
    const { older, younger } = entry;
    if (older === undefined) this.#oldest = younger;
    else older.younger = younger;
    if (younger === undefined) this.#youngest = older;
    else younger.older = older;
    entry.older = undefined;
    entry.younger = undefined;
    this.#size -= 1;
    this.#leaveLevel(entry);
  }

  /** Moves an entry to the end of another level. Its age stays. */
  move(entry: Entry, level: Level): void {
    this.#leaveLevel(entry);
    entry.level = level;
    this.#enterLevel(entry);
  }

  /** Removes and returns the entry to hand out next. */
  take(): Entry | undefined {
    const highest = this.#levels[0]?.first;
    const entry = this.#overtakes >= this.#overtakesMax ? this.#oldest : highest;
    if (entry === undefined) return undefined;
    if (entry !== this.#oldest) this.#overtakes += 1;
    this.remove(entry);
    return entry;
  }

  /** Yields the entries by priority and, within one, by time of arrival. */
  *[Symbol.iterator](): Generator<Entry, void, undefined> {
    for (const { first } of this.#levels) for (let entry = first; entry !== undefined; entry = entry.next) yield entry;
  }

  #enterLevel(entry: Entry): void {
    const { level } = entry;
    entry.previous = level.last;
    if (level.last === undefined) {
      level.first = entry;
      this.#insert(level);
    } else level.last.next = entry;
    level.last = entry;
  }

  #leaveLevel(entry: Entry): void {
    const { level, previous, next } = entry;
    if (previous === undefined) level.first = next;
    else previous.next = next;
    if (next === undefined) level.last = previous;
    else next.previous = previous;
    entry.previous = undefined;
    entry.next = undefined;
    if (level.first === undefined) this.#levels.splice(this.#levels.indexOf(level), 1);
  }

  #insert(level: Level): void {
    const index = this.#levels.findIndex(({ priority }) => priority < level.priority);
    this.#levels.splice(index < 0 ? this.#levels.length : index, 0, level);
  }
}
