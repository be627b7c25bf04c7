import { SteadyMap } from "../performance/steady-map.ts";
import type { Version } from "./version.ts";
import { VersionQueue } from "./version-queue.ts";

/** The cached state of an object before a change that its writer was not notified of. */
export interface Base {
  /** A copy of its bytes; undefined if it did not exist or there were no subscribers. */
  readonly bytes: Buffer | undefined;
  readonly version: Version | undefined;
}

/** A change that the watch showed while the response to a write was in flight. */
export interface ObservedChange {
  readonly version: Version | undefined;
  readonly uid: string;
}

/**
 * One write of this process, from before it is sent until the watch has shown it.
 *
 * While it is open, its writer is not notified of its own changes. `base` is what the writer is given as the state
 * before, if another client's change turns out to have come in between.
 */
export class OwnWrite {
  readonly key: string;
  readonly writer: string | undefined;
  /** The uid of the cached object when the write began; empty if there was none. */
  readonly uidBefore: string;
  /**
   * The last list started before the write was announced; -1 if one was in progress, or if the write was announced
   * after it was sent.
   */
  readonly epoch: number;
  /** Value of {@link Tombstones.clock} when the write began: the number of own deletions responded to by then. */
  readonly begunAt: number;
  /** The version that the server assigned; undefined while the response is in flight. */
  version: Version | undefined;
  isOpen = true;
  /** True if the writer was notified of a state that includes everything before this write. */
  isNotified = false;
  /**
   * True if the writer was notified of a deletion that may turn out not to be the last word. It is then notified
   * again.
   */
  hasUncertainDeletion = false;
  /** True if the result is proven to contain nothing but what the writer knows. */
  isProven = false;
  /** True if nothing can have come in between: the write had the version of `base` as its precondition. */
  hasPrecondition = false;
  base: Base | undefined;
  /** Changes that the watch showed while the response was in flight, and of which the writer was not notified. */
  readonly observedChanges: ObservedChange[] = [];
  #deletions: Set<string> | undefined;

  constructor({
    key,
    writer,
    uidBefore,
    epoch,
    begunAt,
  }: Pick<OwnWrite, "key" | "writer" | "uidBefore" | "epoch" | "begunAt">) {
    this.key = key;
    this.writer = writer;
    this.uidBefore = uidBefore;
    this.epoch = epoch;
    this.begunAt = begunAt;
  }

  /** Records that the watch showed the deletion of an object while the response was in flight. */
  noteDeletion(uid: string): void {
    this.#deletions ??= new Set();
    this.#deletions.add(uid);
  }

  /** Reports whether the watch has shown the deletion of an object while the response was in flight. */
  hasSeenDeletion(uid: string): boolean {
    return this.#deletions?.has(uid) ?? false;
  }

  /** Records that the writer was notified of the current state, so that no earlier change has to be reported to it. */
  markNotified(): void {
    if (this.isInFlight) {
      this.base = undefined;
      this.observedChanges.length = 0;
    } else this.isNotified = true;
  }

  /** True while the response is in flight. */
  get isInFlight(): boolean {
    return this.isOpen && this.version === undefined;
  }
}

/** The open writes of this process, by object key. */
export class OwnWrites {
  readonly #byKey = new SteadyMap<string, OwnWrite[]>();
  readonly #due = new VersionQueue<OwnWrite>();

  get isEmpty(): boolean {
    return this.#byKey.size === 0;
  }

  open(write: OwnWrite): void {
    const writes = this.#byKey.get(write.key);
    if (writes === undefined) this.#byKey.set(write.key, [write]);
    else writes.push(write);
  }

  /** Records the version that the server assigned to a write. */
  responded(write: OwnWrite, version: Version): void {
    write.version = version;
    this.#due.add(version, write);
  }

  close(write: OwnWrite): void {
    if (!write.isOpen) return;
    write.isOpen = false;
    const all = this.#byKey.get(write.key) ?? [];
    const rest = all.length === 1 && all[0] === write ? [] : all.filter((other) => other !== write);
    if (rest.length === 0) this.#byKey.delete(write.key);
    else this.#byKey.set(write.key, rest);
  }

  /** Returns the open writes to an object. */
  of(key: string): readonly OwnWrite[] {
    return this.#byKey.get(key) ?? nothing;
  }

  /** Records that the server has shown a deletion, so that responses in flight need not wait for it. */
  noteDeletion(key: string, uid: string): void {
    for (const write of this.of(key)) if (write.isInFlight) write.noteDeletion(uid);
  }

  /** Records that all writers except those that already know were notified of the current state of an object. */
  noteNotified(key: string, isKnownTo: (writer: string) => boolean): void {
    for (const write of this.of(key)) {
      if (write.writer === undefined || isKnownTo(write.writer)) continue;
      write.hasUncertainDeletion = false;
      write.markNotified();
    }
  }

  /** Records that a writer was notified of a deletion that only the watch can confirm. */
  noteUncertainDeletion(key: string, writer: string | undefined): void {
    for (const write of this.of(key))
      if (write.writer === writer && write.isInFlight) write.hasUncertainDeletion = true;
  }

  /** Closes the writes to an object whose responses have arrived. */
  closeResponded(key: string): void {
    for (const write of this.of(key)) if (!write.isInFlight) this.close(write);
  }

  /** Yields all open writes. */
  *all(): Generator<OwnWrite> {
    for (const writes of this.#byKey.values()) yield* writes;
  }

  /** Reports whether a version of an object is proven to be the writer's own. */
  isOwn(key: string, writer: string | undefined, version: Version | undefined): boolean {
    if (version === undefined) return false;
    return this.of(key).some((write) => write.isProven && write.writer === writer && write.version === version);
  }

  /**
   * Returns the writes that are still open although the server has reported everything up to their versions: the watch
   * should have shown them.
   */
  takeOverdue(version: Version): readonly OwnWrite[] {
    const due = this.#due.takeUpTo(version);
    return due.length === 0 ? due : due.filter(({ isOpen }) => isOpen);
  }
}

const nothing: readonly never[] = [];
