// Longer than most files: this is one state machine with three inputs (lists, watch events, responses to own writes).
// Its decisions are pure functions in rules.ts.

import type { Audience } from "./audience.ts";
import { Contents, type ContentsParts } from "./contents.ts";
import { Echoes } from "./echoes.ts";
import { type Item, keptBytes, keyOfName } from "./item.ts";
import { OwnWrite, OwnWrites } from "./own-writes.ts";
import type { EventLoopYielder } from "../performance/event-loop-yielder.ts";
import { type Known, type Rules, standardRules, type Verdict, type WatchInput } from "./rules.ts";
import { Tombstones } from "./tombstones.ts";
import { laterVersion, type Version } from "./version.ts";
import type { WriteEvidence } from "./writes.ts";

/** Dependencies of a {@link Ledger}. */
export interface LedgerParts<T> extends ContentsParts<T> {
  /**
   * True if the informer has no label or field selector. Then the watch is certain to deliver the deletion of every
   * object; with a selector it delivers nothing about objects outside of it.
   */
  readonly selectsAll: boolean;
  readonly rules?: Rules;
  readonly tombstones?: Tombstones;
  readonly ownWrites?: OwnWrites;
  /** Called when {@link Ledger.needsList} becomes true. */
  readonly onNeedsList?: () => void;
}

/** Properties of the list that is about to be received. */
export interface ListMode {
  /**
   * True for a watch with `sendInitialEvents`. Its initial events may show an earlier state, which later events then
   * correct.
   */
  readonly isStream?: boolean;
  /**
   * Strictness of the comparison with what was seen before.
   *
   * - `normal`: anything older than what was seen is refused.
   * - `trusting`: objects are accepted even if they should have been known before. Used after a `suspect` list: an
   *   event was lost.
   * - `reset`: the server's versions started over, so none can be compared with those seen before.
   */
  readonly mode?: "normal" | "trusting" | "reset";
}

/**
 * Result of a list.
 *
 * - `accepted`: the store now reflects it.
 * - `stale`: it is older than what was seen before.
 * - `suspect`: it contains objects that should have been known before.
 * - `ambiguous`: this process deleted objects while the list was made, and for some items it is undecidable whether
 *   they are from before or after the deletion.
 */
export type ListOutcome = "accepted" | "stale" | "suspect" | "ambiguous";

/** Identity of an object that this process has deleted. */
export interface OwnDeletion {
  readonly namespace: string;
  readonly name: string;
  /** The uid in the response; undefined if the response had none. */
  readonly uid?: string | undefined;
}

/** Number of unconfirmed tombstones after which a list is requested to clear them. */
const tombstonesMax = 10_000;

/**
 * The single place where lists, watch events and responses to own writes are merged into the store.
 *
 * It plays the role of client-go's DeltaFIFO, with one more input: the responses to writes of this process. These
 * arrive on other connections than the watch, so the same change may be seen first in the response or first in the
 * watch, and old events may still be in flight when a newer response is already known. One invariant holds whatever
 * the order of arrival: no object in the store ever goes back to an older version.
 *
 * The decisions need three numbers: the version of the incoming object, the version in the store, and the high-water
 * mark, the version up to which the server has reported everything. Comparing resource versions as numbers is allowed
 * since Kubernetes 1.35 (KEP-5504), and has always worked with etcd.
 */
export class Ledger<T> {
  readonly #contents: Contents<T>;
  readonly #echoes: Echoes<T>;
  readonly #selectsAll: boolean;
  readonly #rules: Rules;
  readonly #tombstones: Tombstones;
  readonly #writes: OwnWrites;
  /**
   * High-water mark: the version up to which the server has reported everything, by list, event or bookmark; undefined
   * before the first list.
   */
  #highWater: Version | undefined;
  /**
   * Highest version of the own writes, and its value when the list in progress was started: that list must include it.
   */
  #written: Version | undefined;
  #writtenBefore: Version | undefined;
  /** Number of the last list that was started. Objects and tombstones are marked with it. */
  #epoch = 0;
  #isListing = false;
  #listMode: "normal" | "trusting" | "reset" = "normal";
  /** Keys of items in the list in progress that should have been known before. */
  readonly #suspects = new Set<string>();
  /** Keys of items for which it is undecidable whether they are older than an own deletion. */
  readonly #ambiguous = new Set<string>();
  #isStream = false;
  /** The epoch in which a list became necessary; only a later one satisfies it. */
  #listNeededAfter: number | undefined;
  readonly #onNeedsList: () => void;

  constructor({ selectsAll, rules, tombstones, ownWrites, onNeedsList, ...parts }: LedgerParts<T>) {
    this.#selectsAll = selectsAll;
    this.#rules = rules ?? standardRules;
    this.#tombstones = tombstones ?? new Tombstones();
    this.#writes = ownWrites ?? new OwnWrites();
    this.#contents = new Contents(parts, this.#writes);
    this.#echoes = new Echoes(this.#contents, this.#writes);
    this.#onNeedsList = onNeedsList ?? (() => undefined);
  }

  get highWater(): Version | undefined {
    return this.#highWater;
  }

  /** True if something contradicts the watch protocol, so that only a new list can restore the truth. */
  get needsList(): boolean {
    return this.#listNeededAfter !== undefined;
  }

  #demandList(): void {
    this.#listNeededAfter = this.#epoch;
    this.#onNeedsList();
  }

  // ── lists ──

  /** Starts a list. One in progress is abandoned; the objects it delivered stay, since they are valid on their own. */
  beginList({ mode = "normal", isStream = false }: ListMode = {}): void {
    this.#epoch += 1;
    this.#isListing = true;
    this.#isStream = isStream;
    this.#listMode = mode;
    this.#writtenBefore = this.#written;
    this.#ambiguous.clear();
    this.#suspects.clear();
    if (mode === "reset") this.#tombstones.clear();
  }

  /** Applies one item of the list in progress. */
  applyListed(item: Item): void {
    if (this.#isHidden(item)) return;
    const slot = this.#contents.find(item);
    const known = this.#contents.known(slot, item);
    // A stream may show an object again, at a later version; only its last state counts.
    if (this.#suspects.size > 0) this.#suspects.delete(item.key);
    switch (this.#listVerdict(item, known)) {
      case "insert":
        this.#contents.insert(item, { mark: this.#epoch });
        break;
      case "replace":
        // Versions that are not numbers cannot be compared, but bytes can: no event for an unchanged object.
        if (item.version !== undefined || !this.#contents.store.hasBytesOf(slot, item))
          this.#contents.replace(slot, item);
        this.#contents.store.mark(slot, this.#epoch);
        break;
      case "recreate":
        this.#contents.remove(slot);
        this.#contents.insert(item, { mark: this.#epoch });
        break;
      case "superseded":
        // Not marked with the epoch: if the list turns out to be newer than the own write, it should have shown it,
        // and the object is removed at its end.
        this.#echoes.olderVersionShown(item);
        break;
      case "suspect":
        this.#suspects.add(item.key);
        break;
      case "confirm":
        this.#contents.store.mark(slot, this.#epoch);
        break;
      case "ignore":
      case "remove":
      case "displace":
        break;
    }
  }

  #listVerdict({ version }: Item, known: Known | undefined): ReturnType<Rules["onListed"]> {
    switch (this.#listMode) {
      case "normal":
        return this.#rules.onListed({ version, known, highWater: this.#highWater });
      case "trusting":
        return this.#rules.onListed({ version, known, highWater: undefined });
      case "reset":
        if (known === undefined) return "insert";
        if (!known.isSameUid) return "recreate";
        return version === known.version ? "confirm" : "replace";
    }
  }

  /**
   * Ends the list. If it is accepted, objects missing from it are removed, yielding to the event loop where needed.
   *
   * @param version The resourceVersion of the list.
   */
  async endList(version: Version | undefined, yielder: EventLoopYielder): Promise<ListOutcome> {
    const isReset = this.#listMode === "reset";
    this.#isListing = false;
    if (!isReset && this.#rules.isStaleList(version, laterVersion(this.#highWater, this.#writtenBefore)))
      return "stale";
    if (this.#suspects.size > 0) return "suspect";
    if (this.#ambiguous.size > 0) return "ambiguous";
    // First of all: the await below lets responses of own writes in. One from before this list must not bring back an
    // object that the list does not have, and onWrite ignores it only if the mark is already raised.
    this.#highWater = isReset ? version : laterVersion(this.#highWater, version);
    if (isReset) this.#written = version;
    const epoch = this.#epoch;
    if (this.#listNeededAfter !== undefined && this.#listNeededAfter < epoch) this.#listNeededAfter = undefined;
    const missing: number[] = [];
    yielder.begin();
    for (const slot of this.#contents.store.slots())
      if (this.#isMissingFromList(slot, epoch, version)) missing.push(slot);
    for (const slot of missing) {
      // An own write may have recreated the object while this loop yielded.
      if (this.#contents.store.has(slot) && this.#isMissingFromList(slot, epoch, version)) this.#contents.remove(slot);
      const pause = yielder.pause();
      if (pause !== undefined) await pause;
    }
    this.#tombstones.dropBefore(epoch);
    if (version !== undefined) this.#tombstones.advanceTo(version);
    this.#echoes.closeCoveredByList(isReset ? undefined : version);
    return "accepted";
  }

  #isMissingFromList(slot: number, epoch: number, list: Version | undefined): boolean {
    if (this.#contents.store.markOf(slot) === epoch) return false;
    return this.#listMode === "reset" || !this.#rules.outlivesList(this.#contents.store.versionOf(slot), list);
  }

  // ── watches ──

  /**
   * Applies one watch event. For a stream with `sendInitialEvents`, also called for deletions before the initial
   * events are complete.
   */
  applyEvent(type: WatchInput["type"], item: Item): void {
    const slot = this.#contents.find(item);
    if (type === "DELETED" && !this.#writes.isEmpty) this.#writes.noteDeletion(item.key, item.uid);
    const isOwnDeletion = this.#isOwnDeletion(type, item);
    if (isOwnDeletion || !this.#isHidden(item)) this.#decide(type, slot, item, isOwnDeletion);
    if (this.#isListing && type === "DELETED") this.#noteStreamDeletion(item);
    if (!this.#isListing) this.advanceTo(item.version);
  }

  /**
   * Records a deletion within the initial events of a stream. The high-water mark does not cover it until the stream
   * is complete, so a floor hides older states of the object.
   */
  #noteStreamDeletion(item: Item): void {
    const key = item.key;
    this.#suspects.delete(key);
    if (item.version !== undefined) this.#tombstones.addFloor(key, { version: item.version, isInclusive: true });
  }

  /**
   * Reports whether the event confirms an own deletion. That object has already been removed from the store; the event
   * matters only if another object of the same name is stored.
   */
  #isOwnDeletion(type: WatchInput["type"], item: Item): boolean {
    if (type !== "DELETED" || this.#tombstones.size === 0) return false;
    const { uid } = item;
    if (!this.#tombstones.isDeleted(uid)) return false;
    const key = item.key;
    this.#ambiguous.delete(key);
    this.#tombstones.noteShown(key, uid);
    // With a selector, a DELETED event may only mean that the object stopped matching; it may match again before it is
    // really deleted.
    if (this.#selectsAll) this.#tombstones.drop(uid);
    return true;
  }

  /**
   * Reports whether an item or event shows a state from before an own deletion, or before an own write that took the
   * object out of the selection.
   */
  #isHidden(item: Item): boolean {
    if (this.#tombstones.size === 0) return false;
    const { uid, version } = item;
    const key = item.key;
    const isHidden = this.#isListing
      ? this.#tombstones.hidesListed(key, uid, version, this.#isStream ? 0 : this.#epoch)
      : this.#tombstones.hides(key, uid, version);
    if (isHidden === undefined) this.#ambiguous.add(key);
    else if (isHidden && this.#tombstones.isDeleted(uid)) {
      this.#ambiguous.delete(key);
      this.#tombstones.noteShown(key, uid);
    }
    return isHidden !== false;
  }

  #decide(type: WatchInput["type"], slot: number, item: Item, isOwnDeletion: boolean): void {
    const { version } = item;
    const known = this.#contents.known(slot, item);
    const highWater = this.#isListing && this.#listMode !== "normal" ? undefined : this.#highWater;
    const verdict = this.#rules.onEvent({ type, version, known, highWater });
    if (verdict === "ignore" || verdict === "suspect") return;
    // Other writers were already notified of the own deletion when its response arrived.
    if (verdict === "superseded" && !isOwnDeletion) this.#echoes.olderVersionShown(item);
    if (verdict === "superseded" || verdict === "confirm") return this.#echoes.closeConfirmed(item);
    const audience = this.#echoes.beginWatchChange(slot, item);
    if (verdict === "insert") this.#contents.insert(item, { audience });
    else if (verdict === "replace") this.#contents.replace(slot, item, audience);
    else this.#contents.remove(slot, audience);
    if (verdict === "recreate") this.#contents.insert(item, { audience });
  }

  /** Raises the high-water mark, after an event or a bookmark. */
  advanceTo(version: Version | undefined): void {
    if (version === undefined) return;
    this.#highWater = laterVersion(this.#highWater, version);
    this.#tombstones.advanceTo(version);
    if (this.#writes.isEmpty) return;
    for (const write of this.#writes.takeOverdue(version)) {
      // A watch delivers changes in order, so this write should have been seen before the version just reached. It was
      // not: an event was lost, or the object does not match the selector after all. Only a list can tell.
      this.#writes.close(write);
      this.#demandList();
    }
  }

  // ── own writes ──

  /**
   * Registers an own write that is about to be sent.
   *
   * @param isLate True if the write was sent before this informer existed. What the watch has shown of it meanwhile is
   * unknown.
   */
  beginWrite(
    { namespace, name }: { namespace: string; name: string },
    { writer, isLate = false }: { writer: string | undefined; isLate?: boolean },
  ): OwnWrite {
    const slot = this.#contents.find({ namespace, name });
    const write = new OwnWrite({
      key: keyOfName({ namespace, name }),
      writer,
      uidBefore: slot < 0 ? "" : this.#contents.store.uidOf(slot),
      epoch: isLate || this.#isListing ? -1 : this.#epoch,
      begunAt: this.#tombstones.clock,
    });
    write.hasUncertainDeletion = this.#tombstones.hasWithheld(write.key);
    this.#writes.open(write);
    return write;
  }

  /**
   * Applies the response to an own write: the object as it is now.
   *
   * The order of the steps matters. The evidence is evaluated before the store changes, since it compares the result
   * with the cached object. Foreign changes are searched for after that, since the version of this write must already
   * count as the writer's own.
   */
  wrote(
    write: OwnWrite,
    item: Item,
    { isSelected, evidence = {} }: { isSelected: boolean | undefined; evidence?: WriteEvidence },
  ): void {
    const { version, uid } = item;
    if (version === undefined) return this.failed(write);
    this.#contents.beforeChange();
    const slot = this.#contents.find(item);
    const known = this.#contents.known(slot, item);
    const { key } = write;
    const isHidden = this.#tombstones.hidesResult(key, uid, version, write.begunAt);
    const verdict = isHidden
      ? "ignore"
      : this.#rules.onWrite({ version, known, highWater: this.#highWater, isSelected });
    this.#writes.responded(write, version);
    this.#written = laterVersion(this.#written, version);
    this.#echoes.recordResponse(write, slot, item, evidence);
    const hasForeignChange = this.#echoes.hasForeignChange(write);
    const audience = write.writer === undefined ? undefined : { knownTo: [write.writer] };
    this.#applyVerdict(verdict, slot, item, audience);
    // The result is not shown and nothing newer is stored, so no event will follow: without a notification the writer
    // would believe that the object exists.
    const isNewest = known?.version === undefined || known.version < version;
    if (verdict === "ignore" && (slot < 0 || (isHidden && isNewest))) {
      this.#tombstones.addWithheld(key, version);
      this.#echoes.notifyDeleted(write, keptBytes(item));
      this.#writes.noteUncertainDeletion(key, write.writer);
    } else if (hasForeignChange || write.hasUncertainDeletion || (verdict !== "ignore" && !write.isProven))
      this.#echoes.notify(write);
    this.#echoes.clearExplained(write);
    // A response that was not stored is superseded by something newer, of which the writer was notified when it
    // arrived.
    if (verdict === "ignore") this.#writes.close(write);
    if (verdict === "remove" || verdict === "displace") this.#writes.closeResponded(key);
  }

  /** Carries out a verdict on the response to an own write. */
  #applyVerdict(verdict: Verdict, slot: number, item: Item, audience: Audience | undefined): void {
    const { version } = item;
    const key = item.key;
    if (verdict !== "ignore") this.#tombstones.noteReplaced(key);
    switch (verdict) {
      case "insert":
        return this.#contents.insert(item, { audience });
      case "replace":
        return this.#contents.replace(slot, item, audience);
      case "recreate":
        this.#contents.remove(slot, audience);
        return this.#contents.insert(item, { audience });
      case "remove":
      case "displace":
        // Everything about this name below the version is outdated. With `displace`, whether the object at this very
        // version is selected is known only to the server, so an event at it must pass.
        if (version !== undefined) this.#tombstones.addFloor(key, { version, isInclusive: verdict === "remove" });
        if (slot >= 0) this.#contents.remove(slot, audience);
        return;
      case "ignore":
      case "confirm":
      case "superseded":
      case "suspect":
        return;
    }
  }

  /**
   * Applies the response to an own deletion: the object no longer exists.
   *
   * The response carries no resourceVersion of the deletion, so it cannot be ordered among the watch events by
   * version. Its uid can: a uid never comes back. The tombstone of the uid hides older events until the watch has
   * delivered the deletion.
   */
  deleted(write: OwnWrite, { namespace, name, uid: uidInResponse }: OwnDeletion): void {
    this.#contents.beforeChange();
    const slot = this.#contents.find({ namespace, name });
    const storedUid = slot < 0 ? "" : this.#contents.store.uidOf(slot);
    const uid = uidInResponse ?? (write.uidBefore === "" ? storedUid : write.uidBefore);
    const { key } = write;
    const isDeletionSeen = uid === "" || (this.#selectsAll && write.hasSeenDeletion(uid));
    const isEventPending =
      !isDeletionSeen && storedUid !== uid && this.#selectsAll && write.epoch === this.#epoch && !this.#isListing;
    if (!isDeletionSeen) {
      const isAwaited = storedUid !== uid || !this.#isShownByServer(slot);
      this.#tombstones.addDeleted({ key, uid, epoch: this.#epoch, isAwaited });
      // The watch will deliver the deletion, unless a list was made in between or the object is not selected. Then
      // only another list can show that the object is gone.
      const isCertain = isEventPending || (storedUid === uid && !this.#isListing);
      if (isAwaited && !isCertain) this.#demandList();
    }
    const isRemoved = slot >= 0 && this.#isAlsoDeleted(uid, { slot, storedUid, write, isEventPending });
    if (isRemoved) {
      const version = this.#contents.store.versionOf(slot);
      // Responses to earlier writes may still be in flight and must not bring the object back.
      if (version !== undefined) this.#tombstones.addFloor(key, { version, isInclusive: true });
      this.#contents.remove(slot, write.writer === undefined ? undefined : { knownTo: [write.writer] });
    }
    if (this.#echoes.hasForeignChange(write, uid)) this.#echoes.notify(write);
    this.#writes.close(write);
    if (isRemoved) this.#writes.closeResponded(key);
    this.#echoes.clearExplained(write, uid);
    if (this.#tombstones.size > tombstonesMax) this.#demandList();
  }

  /**
   * Reports whether the stored object no longer exists, given that this process deleted an object of its name.
   *
   * If the stored object has another uid than the deleted one, it may have been created later. It was not if it was
   * stored before the deletion was sent; nor if the watch has shown the stored object and is still to show the deleted
   * one: then the deleted one is the later of the two. If the stored object came from a concurrent own write, it stays
   * until the watch decides.
   */
  #isAlsoDeleted(
    uid: string,
    {
      slot,
      storedUid,
      write,
      isEventPending,
    }: { slot: number; storedUid: string; write: OwnWrite; isEventPending: boolean },
  ): boolean {
    if (storedUid === "") return false;
    return storedUid === uid || storedUid === write.uidBefore || (isEventPending && this.#isShownByServer(slot));
  }

  /** Reports whether a list or the watch has shown the stored version; otherwise it came from an own write. */
  #isShownByServer(slot: number): boolean {
    const version = this.#contents.store.versionOf(slot);
    return version !== undefined && this.#highWater !== undefined && version <= this.#highWater;
  }

  /** Closes a write that failed, or whose outcome is unknown. */
  failed(write: OwnWrite): void {
    if (!write.isOpen) return;
    this.#contents.beforeChange();
    const hasForeignChange = this.#echoes.hasForeignChange(write);
    this.#writes.close(write);
    if (hasForeignChange) this.#echoes.notify(write);
  }
}
