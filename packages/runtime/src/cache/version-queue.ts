import type { Version } from "./version.ts";

/** Things that wait for a version to be reached, the earliest first. */
export class VersionQueue<T> {
  readonly #entries: { readonly version: Version; readonly value: T }[] = [];

  /** Adds something. Cheap when versions come in order, or nearly so. */
  add(version: Version, value: T): void {
    const { length } = this.#entries;
    let at = length;
    while (at > 0 && (this.#entries[at - 1]?.version ?? 0) > version) at -= 1;
    if (at === length) this.#entries.push({ version, value });
    else this.#entries.splice(at, 0, { version, value });
  }

  /** Takes out everything whose version is reached. */
  take(reached: Version): readonly T[] {
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
