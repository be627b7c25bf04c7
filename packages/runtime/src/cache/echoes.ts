import type { Audience } from "./audience.ts";
import type { Contents } from "./contents.ts";
import { isExplained } from "./explained.ts";
import type { Item } from "./item.ts";
import type { OwnWrite, OwnWrites } from "./own-writes.ts";
import { parseVersion, type Version } from "./version.ts";
import type { WriteEvidence } from "./writes.ts";

/**
 * The filter that keeps a writer from being notified of its own writes, and notifies it when there was more to a
 * change.
 *
 * Without it every reconciler triggers itself: it writes, the watch delivers the change, it is called again and finds
 * nothing to do. Skipping is safe only if the event shows nothing but the writer's own change, so that has to be
 * proven:
 *
 * 1. While the response is in flight, a change that the watch shows may be the write itself. The writer is not
 *    notified of it; the state that it knew before (`base`) and the versions that passed (`observedChanges`) are
 *    recorded.
 * 2. The response tells which of these versions was the write. If any other passed, or the result is not proven to be
 *    the writer's own, the writer is notified once: from `base` to the current state.
 * 3. After the response, an event below the version of the write is a change in between. If it was another client's,
 *    the writer is notified once.
 *
 * In doubt the writer is notified: a redundant reconcile is harmless, a missed change is not.
 */
export class Echoes<T> {
  readonly #contents: Contents<T>;
  readonly #writes: OwnWrites;

  constructor(contents: Contents<T>, writes: OwnWrites) {
    this.#contents = contents;
    this.#writes = writes;
  }

  /**
   * Returns the writers to leave out of a change that the watch is about to make: those with a write in flight, which
   * may be its cause.
   *
   * Writes already responded to are closed: this change is newer, and their writers are notified of it like everyone
   * else.
   */
  beginWatchChange(slot: number, item: Item): Audience | undefined {
    if (this.#writes.isEmpty) return undefined;
    const knownTo: string[] = [];
    for (const write of this.#writes.of(item.key)) {
      if (!write.isInFlight) {
        this.#writes.close(write);
        continue;
      }
      write.base ??= this.#contents.baseOf(slot);
      write.observedChanges.push({ version: item.version, uid: item.uid });
      if (write.writer !== undefined) knownTo.push(write.writer);
    }
    return knownTo.length === 0 ? undefined : { knownTo };
  }

  /**
   * Handles a version below one that this process wrote: notifies writers for whom it was another client's change in
   * between.
   */
  olderVersionShown(item: Item): void {
    const { version } = item;
    if (this.#writes.isEmpty || version === undefined) return;
    const key = item.key;
    for (const write of this.#writes.of(key)) {
      if (write.version === undefined || write.isNotified) continue;
      const isBetween = version < write.version && (write.base?.version === undefined || version > write.base.version);
      if (isBetween && !this.#writes.isOwn(key, write.writer, version)) this.notify(write);
    }
  }

  /** Closes the writes that the watch has shown, up to the version of the item. */
  closeConfirmed(item: Item): void {
    const { version } = item;
    if (this.#writes.isEmpty || version === undefined) return;
    for (const write of this.#writes.of(item.key)) {
      if (write.version !== undefined && write.version <= version) this.#writes.close(write);
    }
  }

  /**
   * Closes the writes covered by a list. A list does not show the changes in between, so writers without a matching
   * precondition are notified.
   */
  closeCoveredByList(list: Version | undefined): void {
    for (const write of this.#writes.all()) {
      if (write.version === undefined || (list !== undefined && write.version > list)) continue;
      this.#writes.close(write);
      if (!write.hasPrecondition && !write.isNotified) this.notify(write);
    }
  }

  /**
   * Records what a write was based on, and whether its result is proven to contain nothing but its writer's own
   * change.
   */
  recordResponse(write: OwnWrite, slot: number, item: Item, evidence: WriteEvidence): void {
    write.base ??= this.#contents.baseOf(slot);
    write.hasPrecondition = write.base.version !== undefined && parseVersion(evidence.basedOn) === write.base.version;
    write.isProven = this.#isProven(write, item, evidence);
  }

  /** Reports whether the watch showed another client's change while the writer was not notified. */
  hasForeignChange(write: OwnWrite, deletedUid?: string): boolean {
    return write.observedChanges.some(
      ({ version, uid }) => uid !== deletedUid && !this.#writes.isOwn(write.key, write.writer, version),
    );
  }

  /**
   * Clears what the writer's other in-flight writes to the object recorded, where all of it is explained by the write
   * just completed.
   */
  clearExplained({ key, writer }: OwnWrite, deletedUid?: string): void {
    for (const other of this.#writes.of(key)) {
      if (other.writer === writer && other.isInFlight && !this.hasForeignChange(other, deletedUid))
        other.markNotified();
    }
  }

  /** Notifies only this writer of the change from its `base` to the current state of the object. */
  notify(write: OwnWrite): void {
    const { key, base } = write;
    const slash = key.indexOf("/");
    const slot = this.#contents.find({ namespace: slash < 0 ? "" : key.slice(0, slash), name: key.slice(slash + 1) });
    if (slot >= 0) this.#notifyOnly(write, slot, base?.bytes);
    else if (base?.bytes !== undefined) this.notifyDeleted(write, base.bytes);
  }

  /**
   * Notifies only this writer that the object it believes to exist was deleted.
   *
   * @param bytes The object as the writer knows it.
   */
  notifyDeleted(write: OwnWrite, bytes: Buffer): void {
    this.#notifyOnly(write, -1, bytes);
  }

  #notifyOnly(write: OwnWrite, slot: number, bytes: Buffer | undefined): void {
    write.isNotified = true;
    if (write.writer === undefined) return;
    this.#contents.emit({
      type: slot < 0 ? "delete" : "update",
      key: write.key,
      slot,
      old: bytes === undefined ? undefined : { bytes, parsed: undefined },
      audience: { onlyFor: write.writer },
    });
  }

  /**
   * Reports whether the result contains nothing but the writer's own change.
   *
   * A write that changed nothing proves nothing: its response shows the object as another client may have left it.
   */
  #isProven({ base, hasPrecondition, key }: OwnWrite, item: Item, { isNew = false, sent }: WriteEvidence): boolean {
    if (base?.version !== undefined && base.version === item.version) return false;
    if (isNew || hasPrecondition) return true;
    if (sent === undefined || base?.bytes === undefined) return false;
    const before = this.#contents.store.parseBytes(base.bytes, key);
    return isExplained(before, this.#contents.objectOf(item, key), sent);
  }
}
