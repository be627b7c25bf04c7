import type { Version } from "./version.ts";
import { VersionQueue } from "./version-queue.ts";

/** The version up to which everything about an object is outdated. */
interface Floor {
  readonly version: Version;
  /** True if that version itself is outdated, too. */
  readonly isInclusive: boolean;
}

/** An own deletion that the watch has not shown yet. */
interface Deletion {
  readonly key: string;
  /** Number of the last list started when the deletion was recorded. */
  readonly epoch: number;
  /** Value of {@link Tombstones.clock} when the deletion was recorded. */
  readonly at: number;
}

/**
 * Records of objects removed from the cache by own writes, while the watch may still deliver their earlier states:
 * objects that were deleted, or changed so that they no longer match the selection.
 *
 * A stored object hides older events by its version. A removed one cannot, so it leaves a record here:
 *
 * - Deletion: the response has no version, but a uid never comes back. Everything about the uid is hidden.
 * - Awaited deletion: neither a list nor the watch has shown the deleted object. Whatever the watch shows of its name
 *   is older, until it has shown that uid.
 * - Floor: a write took the object out of the selection, or a deletion removed a known version. Everything about the
 *   name up to that version is hidden.
 * - Withheld response: the result of an own write that was not stored, for example because the write ran concurrently
 *   with a deletion. Only the watch can tell whether the object still exists. Older results that arrive later are
 *   hidden as well.
 */
export class Tombstones {
  readonly #deletions = new Map<string, Deletion>();
  /** By key, the uid of a deleted object that the watch has to show before anything about the name is current. */
  readonly #awaited = new Map<string, string>();
  readonly #floors = new Map<string, Floor>();
  /** By key, the version of a withheld response. Results with earlier versions are outdated. */
  readonly #withheld = new Map<string, Version>();
  readonly #due = new VersionQueue<string>();
  #clock = 0;

  get size(): number {
    return this.#deletions.size + this.#floors.size;
  }

  /**
   * A logical clock: the number of deletions recorded. Tells whether a write began before the response to a deletion
   * arrived.
   */
  get clock(): number {
    return this.#clock;
  }

  /** Records that an object was deleted, and whether the watch has yet to show it. */
  addDeleted({ key, uid, epoch, isAwaited }: { key: string; uid: string; epoch: number; isAwaited: boolean }): void {
    this.#clock += 1;
    this.#deletions.set(uid, { key, epoch, at: this.#clock });
    if (isAwaited) this.#awaited.set(key, uid);
  }

  /** Records that everything about a name is outdated up to a version. */
  addFloor(key: string, floor: Floor): void {
    const before = this.#floors.get(key);
    if (before !== undefined && before.version >= floor.version) return;
    this.#floors.set(key, floor);
    this.#due.add(floor.version, key);
  }

  /** Records that the response to an own write was not shown, since only the watch can tell whether it still holds. */
  addWithheld(key: string, version: Version): void {
    const before = this.#withheld.get(key);
    if (before !== undefined && before >= version) return;
    this.#withheld.set(key, version);
    this.#due.add(version, key);
  }

  /** Reports whether a response was withheld that the watch has not reached yet. */
  hasWithheld(key: string): boolean {
    return this.#withheld.has(key);
  }

  /** Reports whether a watch event shows a state from before the object was removed. */
  hides(key: string, uid: string, version: Version | undefined): boolean {
    return this.#awaited.has(key) || this.isOutdated(key, uid, version);
  }

  /**
   * Reports whether a list item shows a state from before the object was removed. Returns undefined if that is
   * undecidable: the item may be from before or after an awaited deletion of an object of the same name.
   *
   * @param epoch Number of the list. Deletions recorded before it was started do not concern it; 0 for a stream, which
   * may start with an earlier state.
   */
  hidesListed(key: string, uid: string, version: Version | undefined, epoch: number): boolean | undefined {
    if (this.isOutdated(key, uid, version)) return true;
    const deletion = this.#deletions.get(this.#awaited.get(key) ?? "");
    return deletion !== undefined && deletion.epoch >= epoch ? undefined : false;
  }

  /**
   * Reports whether the response to an own write shows a state from before the object was removed.
   *
   * A write begun before the response to the deletion arrived may have happened before or after it; the watch will
   * show which. It is hidden until then, and so is everything older.
   *
   * @param begunAt The {@link Tombstones.clock} when the write began.
   */
  hidesResult(key: string, uid: string, version: Version | undefined, begunAt: number): boolean {
    const deletion = this.#deletions.get(this.#awaited.get(key) ?? "");
    if (this.isOutdated(key, uid, version) || (deletion !== undefined && begunAt < deletion.at)) return true;
    const withheld = this.#withheld.get(key);
    return withheld !== undefined && version !== undefined && version < withheld;
  }

  /** Reports whether this process has deleted the object. */
  isDeleted(uid: string): boolean {
    return this.#deletions.has(uid);
  }

  /** Reports whether a state of an object is known to be outdated. */
  isOutdated(key: string, uid: string, version: Version | undefined): boolean {
    if (this.isDeleted(uid)) return true;
    const floor = this.#floors.get(key);
    if (floor === undefined || version === undefined) return false;
    return version < floor.version || (floor.isInclusive && version === floor.version);
  }

  /** Records that a newer object of the name is stored, which hides older states by its version. */
  noteReplaced(key: string): void {
    this.#awaited.delete(key);
  }

  /** Records that the watch has shown a deleted object: what follows about its name is current. */
  noteShown(key: string, uid: string): void {
    if (this.#awaited.get(key) === uid) this.#awaited.delete(key);
  }

  /** Removes the record of a deletion that the server has shown: no more events about it will follow. */
  drop(uid: string): void {
    const deletion = this.#deletions.get(uid);
    if (deletion === undefined) return;
    this.#deletions.delete(uid);
    this.noteShown(deletion.key, uid);
  }

  /** Removes the floors and withheld responses that the server has reached. */
  advanceTo(version: Version): void {
    for (const key of this.#due.takeUpTo(version)) {
      const floor = this.#floors.get(key);
      if (floor !== undefined && floor.version <= version) this.#floors.delete(key);
      const withheld = this.#withheld.get(key);
      if (withheld !== undefined && withheld <= version) this.#withheld.delete(key);
    }
  }

  /**
   * Removes the deletions recorded before a list was started. The list is complete and contains none of the objects.
   */
  dropBefore(epoch: number): void {
    for (const [uid, deletion] of this.#deletions) if (deletion.epoch < epoch) this.drop(uid);
  }

  /** Removes everything. Used when the server's versions started over and nothing recorded can be compared. */
  clear(): void {
    this.#deletions.clear();
    this.#awaited.clear();
    this.#floors.clear();
    this.#withheld.clear();
    this.#due.clear();
  }
}
