import type { Version } from "./version.ts";
import { VersionQueue } from "./version-queue.ts";

/** Up to which version everything about an object is old news. */
interface Floor {
  readonly version: Version;
  /** Whether that version itself is. */
  readonly isInclusive: boolean;
}

/** A deletion of our own that the watch has not told of yet. */
interface Deletion {
  readonly key: string;
  /** The list that was begun last when this was noted. */
  readonly epoch: number;
  /** When this was noted: see {@link Tombstones.clock}. */
  readonly at: number;
}

/**
 * What has gone by writes of our own, while the watch still tells of how it was before: objects that were deleted, or
 * changed so that they are no longer selected.
 *
 * What is in the store hides older news by its version; what has gone cannot, so it is noted here. The answer to a deletion
 * has no version, but the uid of what was deleted never comes back. If that was never seen, everything else about its
 * name is from before it, until it is.
 */
export class Tombstones {
  readonly #deletions = new Map<string, Deletion>();
  /** The uids that have to be seen before anything about a name is news. */
  readonly #awaited = new Map<string, string>();
  readonly #floors = new Map<string, Floor>();
  /** The versions of answers that were not shown: earlier ones that come after them are old news. */
  readonly #unshown = new Map<string, Version>();
  readonly #due = new VersionQueue<string>();
  #clock = 0;

  get size(): number {
    return this.#deletions.size + this.#floors.size;
  }

  /** How many deletions were noted: tells whether a write was begun before one of them was answered. */
  get clock(): number {
    return this.#clock;
  }

  /** Notes that an object was deleted, and whether it has yet to be seen. */
  addDeleted({ key, uid, epoch, isAwaited }: { key: string; uid: string; epoch: number; isAwaited: boolean }): void {
    this.#clock += 1;
    this.#deletions.set(uid, { key, epoch, at: this.#clock });
    if (isAwaited) this.#awaited.set(key, uid);
  }

  /** Notes that a write has left nothing to be shown of a name: up to its version, or up to all before. */
  addFloor(key: string, floor: Floor): void {
    const before = this.#floors.get(key);
    if (before !== undefined && before.version >= floor.version) return;
    this.#floors.set(key, floor);
    this.#due.add(floor.version, key);
  }

  /** Notes that the answer to a write of our own was not shown, since only the watch can say whether it still holds. */
  addUnshown(key: string, version: Version): void {
    const before = this.#unshown.get(key);
    if (before !== undefined && before >= version) return;
    this.#unshown.set(key, version);
    this.#due.add(version, key);
  }

  /** Whether there was such an answer, and the watch has not come as far. */
  hasUnshown(key: string): boolean {
    return this.#unshown.has(key);
  }

  /** Whether what the watch tells of an object is older than its going. */
  hides(key: string, uid: string, version: Version | undefined): boolean {
    return this.#awaited.has(key) || this.isOld(key, uid, version);
  }

  /**
   * Whether an item of a list is. Undefined when that cannot be said: another of its name may be from before or after the
   * deletion of one that was never seen.
   *
   * @param epoch The list. What was deleted before it was begun is of no concern to it; 0 when it may begin with an earlier state.
   */
  hidesListed(key: string, uid: string, version: Version | undefined, epoch: number): boolean | undefined {
    if (this.isOld(key, uid, version)) return true;
    const deletion = this.#deletions.get(this.#awaited.get(key) ?? "");
    return deletion !== undefined && deletion.epoch >= epoch ? undefined : false;
  }

  /**
   * Whether the answer to a write of our own is.
   *
   * One that was begun before the deletion was answered may be from before it or after; the watch will tell. And what is
   * older than that is older than its going as well.
   *
   * @param begunAt The {@link Tombstones.clock} when the write was begun.
   */
  hidesResult(key: string, uid: string, version: Version | undefined, begunAt: number): boolean {
    const deletion = this.#deletions.get(this.#awaited.get(key) ?? "");
    if (this.isOld(key, uid, version) || (deletion !== undefined && begunAt < deletion.at)) return true;
    const unshown = this.#unshown.get(key);
    return unshown !== undefined && version !== undefined && version < unshown;
  }

  /** Whether an object was deleted by us. */
  isDeleted(uid: string): boolean {
    return this.#deletions.has(uid);
  }

  /** Whether an object is known to be gone. */
  isOld(key: string, uid: string, version: Version | undefined): boolean {
    if (this.isDeleted(uid)) return true;
    const floor = this.#floors.get(key);
    if (floor === undefined || version === undefined) return false;
    return version < floor.version || (floor.isInclusive && version === floor.version);
  }

  /** Something newer of the name is in the store, and hides by itself what is older. */
  replaced(key: string): void {
    this.#awaited.delete(key);
  }

  /** An object has been seen: what comes next of its name is news. */
  seen(key: string, uid: string): void {
    if (this.#awaited.get(key) === uid) this.#awaited.delete(key);
  }

  /** The server has told of the deletion of an object: nothing more will come of it. */
  drop(uid: string): void {
    const deletion = this.#deletions.get(uid);
    if (deletion === undefined) return;
    this.#deletions.delete(uid);
    this.seen(deletion.key, uid);
  }

  /** The server has told everything up to a version. */
  reach(version: Version): void {
    for (const key of this.#due.take(version)) {
      const floor = this.#floors.get(key);
      if (floor !== undefined && floor.version <= version) this.#floors.delete(key);
      const unshown = this.#unshown.get(key);
      if (unshown !== undefined && unshown <= version) this.#unshown.delete(key);
    }
  }

  /** A list is complete that was begun after everything older than `epoch` was noted, and so has none of it. */
  dropBefore(epoch: number): void {
    for (const [uid, deletion] of this.#deletions) if (deletion.epoch < epoch) this.drop(uid);
  }

  /** The server's versions have begun anew: nothing that was noted can be compared with what comes. */
  clear(): void {
    this.#deletions.clear();
    this.#awaited.clear();
    this.#floors.clear();
    this.#unshown.clear();
    this.#due.clear();
  }
}
