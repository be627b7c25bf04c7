import type { Entry } from "./entry.ts";

/**
 * A binary heap of entries by due time. Entries know their position in it, so that any of them can be removed in
 * logarithmic time.
 */
export class DelayHeap {
  readonly #entries: Entry[] = [];

  get size(): number {
    return this.#entries.length;
  }

  /** The entry that is due first, without removing it. */
  get first(): Entry | undefined {
    return this.#entries[0];
  }

  /** All entries, unordered. */
  get all(): readonly Entry[] {
    return this.#entries;
  }

  add(entry: Entry): void {
    this.#put(entry, this.#entries.length);
    this.#up(entry);
  }

  /** Removes an entry, which must be in the heap. */
  remove(entry: Entry): void {
    const { position } = entry;
    entry.position = -1;
    const last = this.#entries.pop();
    if (last === undefined || last === entry) return;
    this.#put(last, position);
    this.#up(last);
    this.#down(last);
  }

  #up(entry: Entry): void {
    while (entry.position > 0) {
      const parent = this.#entries[(entry.position - 1) >> 1];
      if (parent === undefined || !isBefore(entry, parent)) return;
      this.#swap(entry, parent);
    }
  }

  #down(entry: Entry): void {
    for (;;) {
      const left = this.#entries[entry.position * 2 + 1];
      const right = this.#entries[entry.position * 2 + 2];
      const child = left !== undefined && right !== undefined && isBefore(right, left) ? right : left;
      if (child === undefined || !isBefore(child, entry)) return;
      this.#swap(child, entry);
    }
  }

  #swap(a: Entry, b: Entry): void {
    const { position } = a;
    this.#put(a, b.position);
    this.#put(b, position);
  }

  #put(entry: Entry, position: number): void {
    this.#entries[position] = entry;
    entry.position = position;
  }
}

function isBefore(a: Entry, b: Entry): boolean {
  return a.dueAt < b.dueAt || (a.dueAt === b.dueAt && a.order < b.order);
}
