import type { Version } from "./version.ts";

/** Values that wait for a version to be reached, earliest first. */
export class VersionQueue<T> {
  readonly #entries: { readonly version: Version; readonly value: T }[] = [];

  /** Adds a value. Cheap if versions are added in order or nearly so. */
  add(version: Version, value: T): void {
    const { length } = this.#entries;
    let at = length;
    while (at > 0 && (this.#entries[at - 1]?.version ?? 0) > version) at -= 1;
    if (at === length) this.#entries.push({ version, value });
    else this.#entries.splice(at, 0, { version, value });
  }

  /** Removes and returns all values with a version up to the given one. */
  takeUpTo(reached: Version): readonly T[] {
    let count = 0;
    for (const { version } of this.#entries) {
      if (version > reached) break;
      count += 1;
    }
    return count === 0 ? nothing : this.#entries.splice(0, count).map(({ value }) => value);
  }

  clear(): void {
    this.#entries.length = 0;
  }
}

const nothing: readonly never[] = [];
