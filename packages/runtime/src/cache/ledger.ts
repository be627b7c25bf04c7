// Longer than most files: one state machine, fed by lists, watches and own writes. Its decisions are in rules.ts.

import type { Audience } from "./audience.ts";
import { Contents, type ContentsParts } from "./contents.ts";
import { Echoes } from "./echoes.ts";
import { type Item, keptBytes, keyOfName } from "./item.ts";
import { OwnWrite, OwnWrites } from "./own-writes.ts";
import type { Pacer } from "./pacer.ts";
import { type Known, type Rules, standardRules, type Verdict, type WatchNews } from "./rules.ts";
import { Tombstones } from "./tombstones.ts";
import { laterVersion, type Version } from "./version.ts";
import type { WriteEvidence } from "./writes.ts";

/** What a {@link Ledger} works on. */
export interface LedgerParts<T> extends ContentsParts<T> {
  /** Whether every object of the kind is selected: then the watch tells of whatever happens to one. */
  readonly selectsAll: boolean;
  readonly rules?: Rules;
  readonly tombstones?: Tombstones;
  readonly ownWrites?: OwnWrites;
  /** Told when {@link Ledger.needsList} becomes true. */
  readonly onNeedsList?: () => void;
}

/** How to take a list. */
export interface ListMode {
  /** Whether it comes as a stream, which may begin with an earlier state and then catches up. */
  readonly isStream?: boolean;
  /**
   * - `normal`: nothing older than what was seen is let in.
   * - `trusting`: objects are let in that should have been known, if the server's versions are right: something was lost.
   * - `reset`: the server's versions have begun anew, so that none can be compared with what was seen.
   */
  readonly mode?: "normal" | "trusting" | "reset";
}

/**
 * What became of a list.
 *
 * - `accepted`: it holds.
 * - `stale`: it is older than what was seen.
 * - `suspect`: it has objects that should have been known.
 * - `ambiguous`: we deleted objects while it was made, so that it cannot be said what of it is from before.
 */
export type ListOutcome = "accepted" | "stale" | "suspect" | "ambiguous";

/** What is known of the object that a deletion of our own was about. */
export interface OwnDeletion {
  readonly namespace: string;
  readonly name: string;
  /** The uid that the server named; undefined when it named none. */
  readonly uid?: string | undefined;
}

/** So many that have gone and that the watch has said no last word about are swept up by a list. */
const tombstonesMax = 10_000;

/**
 * Keeps a store true to the server: takes in lists, events and the answers to own writes, and says what has changed.
 *
 * One promise holds at any time: no object ever goes back to an older version, whatever order news come in.
 */
export class Ledger<T> {
  readonly #contents: Contents<T>;
  readonly #echoes: Echoes<T>;
  readonly #selectsAll: boolean;
  readonly #rules: Rules;
  readonly #tombstones: Tombstones;
  readonly #writes: OwnWrites;
  /** The version up to which the server has told everything; undefined before the first list. */
  #highWater: Version | undefined;
  /** The highest version of our own writes; and that before the list under way was begun, which must be in it. */
  #written: Version | undefined;
  #writtenBefore: Version | undefined;
  #epoch = 0;
  #isListing = false;
  #listMode: "normal" | "trusting" | "reset" = "normal";
  /** The objects of the list under way that should have been known, by key. */
  readonly #suspects = new Set<string>();
  /** Those of which nobody can say whether they are older than a deletion of our own. */
  readonly #ambiguous = new Set<string>();
  #isStream = false;
  /** The epoch that was not enough. */
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

  /** Whether something was not as the protocol promises, so that only a list can tell the truth. */
  get needsList(): boolean {
    return this.#listNeededAfter !== undefined;
  }

  #demandList(): void {
    this.#listNeededAfter = this.#epoch;
    this.#onNeedsList();
  }

  // ── lists ──

  /** A list begins. One that was under way is forgotten; what it brought stays, since it is true all the same. */
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

  /** Takes an item of the list. */
  listed(item: Item): void {
    if (this.#isHidden(item)) return;
    const slot = this.#contents.find(item);
    const known = this.#contents.known(slot, item);
    if (this.#suspects.size > 0) this.#suspects.delete(item.key);
    switch (this.#listVerdict(item, known)) {
      case "insert":
        this.#contents.insert(item, { mark: this.#epoch });
        break;
      case "replace":
        // Where versions cannot be compared, the bytes can.
        if (item.version !== undefined || !this.#contents.store.hasBytesOf(slot, item))
          this.#contents.replace(slot, item);
        this.#contents.store.mark(slot, this.#epoch);
        break;
      case "recreate":
        this.#contents.remove(slot);
        this.#contents.insert(item, { mark: this.#epoch });
        break;
      case "passed":
        // No mark: if the list turns out to be newer than our write after all, it should have shown it.
        this.#echoes.passed(item);
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
   * The list is complete. If it holds, what it lacks is taken out, with breaks.
   *
   * @param version The version of the list as a whole.
   */
  async endList(version: Version | undefined, pacer: Pacer): Promise<ListOutcome> {
    const isReset = this.#listMode === "reset";
    this.#isListing = false;
    if (!isReset && this.#rules.isStaleList(version, laterVersion(this.#highWater, this.#writtenBefore)))
      return "stale";
    if (this.#suspects.size > 0) return "suspect";
    if (this.#ambiguous.size > 0) return "ambiguous";
    // Before anything else: the answer to a write from before this list must not bring back what it lacks.
    this.#highWater = isReset ? version : laterVersion(this.#highWater, version);
    if (isReset) this.#written = version;
    const epoch = this.#epoch;
    if (this.#listNeededAfter !== undefined && this.#listNeededAfter < epoch) this.#listNeededAfter = undefined;
    const gone: number[] = [];
    pacer.begin();
    for (const slot of this.#contents.store.slots()) if (this.#isGone(slot, epoch, version)) gone.push(slot);
    for (const slot of gone) {
      // A write of our own may have come in a break.
      if (this.#contents.store.has(slot) && this.#isGone(slot, epoch, version)) this.#contents.remove(slot);
      if (pacer.isDue) await pacer.rest();
    }
    this.#tombstones.dropBefore(epoch);
    if (version !== undefined) this.#tombstones.reach(version);
    this.#echoes.settle(isReset ? undefined : version);
    return "accepted";
  }

  #isGone(slot: number, epoch: number, list: Version | undefined): boolean {
    if (this.#contents.store.markOf(slot) === epoch) return false;
    return this.#listMode === "reset" || !this.#rules.outlivesList(this.#contents.store.versionOf(slot), list);
  }

  // ── watches ──

  /** Takes an event of the watch. Events of a stream that begins with a list (`sendInitialEvents`) may come before its end. */
  apply(type: WatchNews["type"], item: Item): void {
    const slot = this.#contents.find(item);
    if (type === "DELETED" && !this.#writes.isEmpty) this.#writes.noteDeletion(item.key, item.uid);
    const isOurs = this.#isOwnDeletion(type, item);
    if (isOurs || !this.#isHidden(item)) this.#decide(type, slot, item, isOurs);
    if (this.#isListing && type === "DELETED") this.#endedEarly(item);
    if (!this.#isListing) this.reach(item.version);
  }

  /** A stream tells of a deletion before it is complete: until then nothing else hides what is older. */
  #endedEarly(item: Item): void {
    const key = item.key;
    this.#suspects.delete(key);
    if (item.version !== undefined) this.#tombstones.addFloor(key, { version: item.version, isInclusive: true });
  }

  /** Whether the server tells of a deletion of our own. It is no news, but to whatever else is here under the name. */
  #isOwnDeletion(type: WatchNews["type"], item: Item): boolean {
    if (type !== "DELETED" || this.#tombstones.size === 0) return false;
    const { uid } = item;
    if (!this.#tombstones.isDeleted(uid)) return false;
    const key = item.key;
    this.#ambiguous.delete(key);
    this.#tombstones.seen(key, uid);
    // Of a selection, this may mean no more than that the object has left it, and is to come back before it is deleted.
    if (this.#selectsAll) this.#tombstones.drop(uid);
    return true;
  }

  /** Whether news are from before something has gone by a write of our own. */
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
      this.#tombstones.seen(key, uid);
    }
    return isHidden !== false;
  }

  #decide(type: WatchNews["type"], slot: number, item: Item, isOurs: boolean): void {
    const { version } = item;
    const known = this.#contents.known(slot, item);
    const highWater = this.#isListing && this.#listMode !== "normal" ? undefined : this.#highWater;
    const verdict = this.#rules.onEvent({ type, version, known, highWater });
    if (verdict === "ignore" || verdict === "suspect") return;
    // Our own deletion was told to all others when it was answered.
    if (verdict === "passed" && !isOurs) this.#echoes.passed(item);
    if (verdict === "passed" || verdict === "confirm") return this.#echoes.confirmed(item);
    const audience = this.#echoes.witness(slot, item);
    if (verdict === "insert") this.#contents.insert(item, { audience });
    else if (verdict === "replace") this.#contents.replace(slot, item, audience);
    else this.#contents.remove(slot, audience);
    if (verdict === "recreate") this.#contents.insert(item, { audience });
  }

  /** The server has told everything up to a version: by an event, or by a bookmark. */
  reach(version: Version | undefined): void {
    if (version === undefined) return;
    this.#highWater = laterVersion(this.#highWater, version);
    this.#tombstones.reach(version);
    if (this.#writes.isEmpty) return;
    for (const write of this.#writes.reach(version)) {
      // It should have been seen before anything later. What is in the cache of it cannot be trusted to be there.
      this.#writes.close(write);
      this.#demandList();
    }
  }

  // ── own writes ──

  /**
   * A write of our own is about to be sent.
   *
   * @param isLate Whether it was sent before this ledger knew of it: what the watch has shown of it meanwhile is not known.
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
    write.isMistold = this.#tombstones.hasUnshown(write.key);
    this.#writes.open(write);
    return write;
  }

  /** The server has answered a write with the object as it is now. */
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
    this.#writes.answered(write, version);
    this.#written = laterVersion(this.#written, version);
    this.#echoes.judge(write, slot, item, evidence);
    const hasForeign = this.#echoes.hasForeign(write);
    const audience = write.writer === undefined ? undefined : { knowers: [write.writer] };
    this.#takeIn(verdict, slot, item, audience);
    // What has gone before anybody saw it leaves no event behind, and its writer takes it to be there.
    const isNewest = known?.version === undefined || known.version < version;
    if (verdict === "ignore" && (slot < 0 || (isHidden && isNewest))) {
      this.#tombstones.addUnshown(key, version);
      this.#echoes.tellGone(write, keptBytes(item));
      this.#writes.noteMistold(key, write.writer);
    } else if (hasForeign || write.isMistold || (verdict !== "ignore" && !write.isProven)) this.#echoes.tell(write);
    this.#echoes.catchUp(write);
    // What was not taken in is shown by something newer, which the writer was told of when it came.
    if (verdict === "ignore") this.#writes.close(write);
    if (verdict === "remove" || verdict === "displace") this.#writes.closeAnswered(key);
  }

  /** Puts the result of a write in its place. */
  #takeIn(verdict: Verdict, slot: number, item: Item, audience: Audience | undefined): void {
    const { version } = item;
    const key = item.key;
    if (verdict !== "ignore") this.#tombstones.replaced(key);
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
        // Below this version everything about the name is old. At this version, only the server may know.
        if (version !== undefined) this.#tombstones.addFloor(key, { version, isInclusive: verdict === "remove" });
        if (slot >= 0) this.#contents.remove(slot, audience);
        return;
      case "ignore":
      case "confirm":
      case "passed":
      case "suspect":
        return;
    }
  }

  /** The server has answered that an object is gone. */
  deleted(write: OwnWrite, { namespace, name, uid: named }: OwnDeletion): void {
    this.#contents.beforeChange();
    const slot = this.#contents.find({ namespace, name });
    const stored = slot < 0 ? "" : this.#contents.store.uidOf(slot);
    const uid = named ?? (write.uidBefore === "" ? stored : write.uidBefore);
    const { key } = write;
    const isSeen = uid === "" || (this.#selectsAll && write.hasSeenDeletion(uid));
    const isToCome = !isSeen && stored !== uid && this.#selectsAll && write.epoch === this.#epoch && !this.#isListing;
    if (!isSeen) {
      const isAwaited = stored !== uid || !this.#isShown(slot);
      this.#tombstones.addDeleted({ key, uid, epoch: this.#epoch, isAwaited });
      // The watch will show it, unless a list came before, or it is not selected. Then only another list can tell.
      const isCertain = isToCome || (stored === uid && !this.#isListing);
      if (isAwaited && !isCertain) this.#demandList();
    }
    const isGone = slot >= 0 && this.#isGoneWith(uid, { slot, stored, write, isToCome });
    if (isGone) {
      const version = this.#contents.store.versionOf(slot);
      // The answers to earlier writes may still be out.
      if (version !== undefined) this.#tombstones.addFloor(key, { version, isInclusive: true });
      this.#contents.remove(slot, write.writer === undefined ? undefined : { knowers: [write.writer] });
    }
    if (this.#echoes.hasForeign(write, uid)) this.#echoes.tell(write);
    this.#writes.close(write);
    if (isGone) this.#writes.closeAnswered(key);
    this.#echoes.catchUp(write, uid);
    if (this.#tombstones.size > tombstonesMax) this.#demandList();
  }

  /**
   * Whether the object that is here has gone, too, since we deleted one of its name.
   *
   * If it is another, it may be a later one. It is not if it was here before the deletion was sent; nor if the watch is
   * still to tell of the one that was deleted, and has told of this one: then that one is the later. If it came by another
   * write of our own at the same time, it stays until the watch has told.
   */
  #isGoneWith(
    uid: string,
    { slot, stored, write, isToCome }: { slot: number; stored: string; write: OwnWrite; isToCome: boolean },
  ): boolean {
    if (stored === "") return false;
    return stored === uid || stored === write.uidBefore || (isToCome && this.#isShown(slot));
  }

  /** Whether the server has shown what is here, by a list or the watch; otherwise it is here by a write of our own. */
  #isShown(slot: number): boolean {
    const version = this.#contents.store.versionOf(slot);
    return version !== undefined && this.#highWater !== undefined && version <= this.#highWater;
  }

  /** A write has failed, or nobody knows what became of it. */
  failed(write: OwnWrite): void {
    if (!write.isOpen) return;
    this.#contents.beforeChange();
    const hasForeign = this.#echoes.hasForeign(write);
    this.#writes.close(write);
    if (hasForeign) this.#echoes.tell(write);
  }
}
