import type { Entry } from "./entry.ts";
import type { Level } from "./level.ts";

/**
 * The entries that can be handed out, in the order in which they will be.
 *
 * The highest priority goes first and, within one priority, who came first; but the entry that has waited longest is
 * passed over at most `overtakesMax` times in a row, and then goes whatever its priority. So nothing starves: an entry
 * behind `n` older ones is handed out after at most `(n + 1) * (overtakesMax + 1)` hand-outs, however many entries of
 * higher priority come in, and these keep the rest of the turns however many old ones wait.
 *
 * (A priority that rises with time would not do the second half: once the objects of a large first list had risen, each
 * fresh change would wait for all of them.)
 */
export class ReadyList implements Iterable<Entry> {
  readonly #overtakesMax: number;
  /** The levels that have an entry, highest first. There are few. */
  readonly #levels: Level[] = [];
  #oldest: Entry | undefined;
  #youngest: Entry | undefined;
  #size = 0;
  /** How often the oldest entry has been passed over. */
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

  /** Takes an entry out, which must be in. */
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

  /** Gives an entry another level: the last place there. Its age stays. */
  move(entry: Entry, level: Level): void {
    this.#leaveLevel(entry);
    entry.level = level;
    this.#enterLevel(entry);
  }

  /** Takes out the entry whose turn it is. */
  take(): Entry | undefined {
    const highest = this.#levels[0]?.first;
    const entry = this.#overtakes >= this.#overtakesMax ? this.#oldest : highest;
    if (entry === undefined) return undefined;
    if (entry !== this.#oldest) this.#overtakes += 1;
    this.remove(entry);
    return entry;
  }

  /** The entries by priority, and by the time they came within one. */
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
