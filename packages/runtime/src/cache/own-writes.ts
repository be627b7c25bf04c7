import { SteadyMap } from "../internal/steady-map.ts";
import type { Version } from "./version.ts";
import { VersionQueue } from "./version-queue.ts";

/** What the cache had of an object before a change that its writer was not told of. */
export interface Base {
  /** A copy of its bytes; undefined when it was not there. */
  readonly bytes: Buffer | undefined;
  readonly version: Version | undefined;
}

/** A change that the watch showed while the answer to a write was still out. */
export interface Sighting {
  readonly version: Version | undefined;
  readonly uid: string;
}

/**
 * One write of our own, from before it is sent until the watch has shown it.
 *
 * As long as it is open, its writer is not told of what it knows by itself. `base` is what it will be told of as the state
 * before, if it turns out that somebody else's change came in between.
 */
export class OwnWrite {
  readonly key: string;
  readonly writer: string | undefined;
  /** The uid of what was in the cache when the write began. */
  readonly uidBefore: string;
  /** The last list before it was announced; -1 when one was under way, or when it was sent before that. */
  readonly epoch: number;
  /** How many of our deletions had been answered by then. */
  readonly begunAt: number;
  /** The version the server gave it; undefined while the answer is out. */
  version: Version | undefined;
  isOpen = true;
  /** Whether the writer has been told of a state that includes everything before this write. */
  isTold = false;
  /** Whether the writer was told meanwhile that the object has gone, which may turn out to be wrong. */
  isMistold = false;
  /** Whether it is certain that the result holds nothing but what the writer knows. */
  isProven = false;
  /** Whether it is certain that nothing came in between: the write was on condition of the version before. */
  isLocked = false;
  base: Base | undefined;
  /** What the watch showed while the answer was out, and the writer was not told of. */
  readonly sightings: Sighting[] = [];
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

  /** The watch has shown that an object was deleted, while the answer was out. */
  noteDeletion(uid: string): void {
    this.#deletions ??= new Set();
    this.#deletions.add(uid);
  }

  /** Whether it has. */
  hasSeenDeletion(uid: string): boolean {
    return this.#deletions?.has(uid) ?? false;
  }

  /** The writer has been told of the object as it is now: nothing that came before is owed to it. */
  inform(): void {
    if (this.isInFlight) {
      this.base = undefined;
      this.sightings.length = 0;
    } else this.isTold = true;
  }

  /** Whether the answer is still out. */
  get isInFlight(): boolean {
    return this.isOpen && this.version === undefined;
  }
}

/** The writes of our own that are open, by key. */
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

  /** Notes the version that the server gave to a write. */
  answered(write: OwnWrite, version: Version): void {
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

  /** The open writes to an object. */
  of(key: string): readonly OwnWrite[] {
    return this.#byKey.get(key) ?? nothing;
  }

  /** The server has told of a deletion: answers that are out need not wait for it. */
  noteDeletion(key: string, uid: string): void {
    for (const write of this.of(key)) if (write.isInFlight) write.noteDeletion(uid);
  }

  /** Everybody is told what an object is now, but for those who know it: nothing before that is owed to them any more. */
  noteTold(key: string, isKnownTo: (writer: string) => boolean): void {
    for (const write of this.of(key)) {
      if (write.writer === undefined || isKnownTo(write.writer)) continue;
      write.isMistold = false;
      write.inform();
    }
  }

  /** A writer was told that an object has gone, which only the watch can know for certain. */
  noteMistold(key: string, writer: string | undefined): void {
    for (const write of this.of(key)) if (write.writer === writer && write.isInFlight) write.isMistold = true;
  }

  /** Closes the writes to an object that were answered. */
  closeAnswered(key: string): void {
    for (const write of this.of(key)) if (!write.isInFlight) this.close(write);
  }

  /** Every open write. */
  *all(): Generator<OwnWrite> {
    for (const writes of this.#byKey.values()) yield* writes;
  }

  /** Whether a version of an object is for certain a writer's own. */
  isOwn(key: string, writer: string | undefined, version: Version | undefined): boolean {
    if (version === undefined) return false;
    return this.of(key).some((write) => write.isProven && write.writer === writer && write.version === version);
  }

  /** The writes whose versions the server has told of by now, whether or not they were seen. */
  reach(version: Version): readonly OwnWrite[] {
    const due = this.#due.take(version);
    return due.length === 0 ? due : due.filter(({ isOpen }) => isOpen);
  }
}

const nothing: readonly never[] = [];
