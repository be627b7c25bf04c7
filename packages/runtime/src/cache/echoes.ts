import type { Audience } from "./audience.ts";
import type { Contents } from "./contents.ts";
import { isExplained } from "./explained.ts";
import type { Item } from "./item.ts";
import type { OwnWrite, OwnWrites } from "./own-writes.ts";
import { parseVersion, type Version } from "./version.ts";
import type { WriteEvidence } from "./writes.ts";

/**
 * Knows which changes a writer knows of by itself, so that it need not be told, and tells it when there was more to it.
 *
 * Whoever has a write under way is left out of what the watch shows of the object, for it may be that write. When the answer
 * comes, it is known whether it was. After that, the writer is left out of nothing; but what comes by below the version of
 * its write was in between, and if it was somebody else's, the writer is told once how the object came to be what it is.
 */
export class Echoes<T> {
  readonly #contents: Contents<T>;
  readonly #writes: OwnWrites;

  constructor(contents: Contents<T>, writes: OwnWrites) {
    this.#contents = contents;
    this.#writes = writes;
  }

  /**
   * The watch is about to change an object: writers whose answers are out may be the cause, so they are left out for now.
   *
   * Writes that were answered are done with: this is newer, and their writers are told of it like everybody.
   */
  witness(slot: number, item: Item): Audience | undefined {
    if (this.#writes.isEmpty) return undefined;
    const knowers: string[] = [];
    for (const write of this.#writes.of(item.key)) {
      if (!write.isInFlight) {
        this.#writes.close(write);
        continue;
      }
      write.base ??= this.#contents.baseOf(slot);
      write.sightings.push({ version: item.version, uid: item.uid });
      if (write.writer !== undefined) knowers.push(write.writer);
    }
    return knowers.length === 0 ? undefined : { knowers };
  }

  /** The server has shown a version below one that we wrote: whose was it? */
  passed(item: Item): void {
    const { version } = item;
    if (this.#writes.isEmpty || version === undefined) return;
    const key = item.key;
    for (const write of this.#writes.of(key)) {
      if (write.version === undefined || write.isTold) continue;
      const isBetween = version < write.version && (write.base?.version === undefined || version > write.base.version);
      if (isBetween && !this.#writes.isOwn(key, write.writer, version)) this.tell(write);
    }
  }

  /** The watch has shown what we wrote up to a version. */
  confirmed(item: Item): void {
    const { version } = item;
    if (this.#writes.isEmpty || version === undefined) return;
    for (const write of this.#writes.of(item.key)) {
      if (write.version !== undefined && write.version <= version) this.#writes.close(write);
    }
  }

  /** Writes that a list covers: it does not tell what came in between, so their writers are told to look again. */
  settle(list: Version | undefined): void {
    for (const write of this.#writes.all()) {
      if (write.version === undefined || (list !== undefined && write.version > list)) continue;
      this.#writes.close(write);
      if (!write.isLocked && !write.isTold) this.tell(write);
    }
  }

  /** A write was answered: notes what it was based on, and whether its result is nothing but what its writer knows. */
  judge(write: OwnWrite, slot: number, item: Item, evidence: WriteEvidence): void {
    write.base ??= this.#contents.baseOf(slot);
    write.isLocked = write.base.version !== undefined && parseVersion(evidence.basedOn) === write.base.version;
    write.isProven = this.#isProven(write, item, evidence);
  }

  /** Whether the watch showed something that the writer does not know, while it was left out. */
  hasForeign(write: OwnWrite, deletedUid?: string): boolean {
    return write.sightings.some(
      ({ version, uid }) => uid !== deletedUid && !this.#writes.isOwn(write.key, write.writer, version),
    );
  }

  /** A writer has been answered: what its other writes to the object were left out of may have been nothing but this. */
  catchUp({ key, writer }: OwnWrite, deletedUid?: string): void {
    for (const other of this.#writes.of(key)) {
      if (other.writer === writer && other.isInFlight && !this.hasForeign(other, deletedUid)) other.inform();
    }
  }

  /** Tells the writer, and nobody else, how the object has come to be what it is. */
  tell(write: OwnWrite): void {
    const { key, base } = write;
    const slash = key.indexOf("/");
    const slot = this.#contents.find({ namespace: slash < 0 ? "" : key.slice(0, slash), name: key.slice(slash + 1) });
    if (slot >= 0) this.#tellOnly(write, slot, base?.bytes);
    else if (base?.bytes !== undefined) this.tellGone(write, base.bytes);
  }

  /**
   * Tells the writer, and nobody else, that what it takes to be there has gone.
   *
   * @param bytes What the writer knows of it.
   */
  tellGone(write: OwnWrite, bytes: Buffer): void {
    this.#tellOnly(write, -1, bytes);
  }

  #tellOnly(write: OwnWrite, slot: number, bytes: Buffer | undefined): void {
    write.isTold = true;
    if (write.writer === undefined) return;
    this.#contents.emit({
      type: slot < 0 ? "delete" : "update",
      key: write.key,
      slot,
      old: bytes === undefined ? undefined : { bytes, parsed: undefined },
      audience: { only: write.writer },
    });
  }

  /** A write that changes nothing is answered with the object as somebody else may have left it: that proves nothing. */
  #isProven({ base, isLocked, key }: OwnWrite, item: Item, { isNew = false, sent }: WriteEvidence): boolean {
    if (base?.version !== undefined && base.version === item.version) return false;
    if (isNew || isLocked) return true;
    if (sent === undefined || base?.bytes === undefined) return false;
    const before = this.#contents.store.parseBytes(base.bytes, key);
    return isExplained(before, this.#contents.objectOf(item, key), sent);
  }
}
