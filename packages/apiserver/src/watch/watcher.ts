import { ArgumentError, type Clock, type Timer } from "@homeostat/core";
import type { Entry } from "../storage/entry.ts";
import type { Change } from "../storage/history.ts";
import type { Store } from "../storage/store.ts";
import type { View } from "../storage/view.ts";
import type { Frames } from "./frames.ts";
import type { EventType, Frame, Shape } from "./shape.ts";

/** Options of a watch. */
export interface WatchOptions<T> {
  /** Prefix of the keys; ends with a slash. */
  readonly prefix: string;
  /** Watches only this key, which has the prefix. */
  readonly key?: string;
  /** Revision or state with which the watch starts. */
  readonly from: WatchStart;
  /**
   * Filter for label and field selectors. An object that stops matching is sent as DELETED, one that starts matching as
   * ADDED.
   */
  readonly matches?: (entry: Entry<T>) => boolean;
  readonly shape: Shape<T>;
  /** Shape of the first event, if it differs: the first event of a table contains the column definitions. */
  readonly firstShape?: Shape<T>;
  /**
   * True to send bookmarks periodically. Bookmarks let a client resume from a recent revision although nothing it
   * watches has changed; without them its revision is compacted eventually and it must list again.
   */
  readonly bookmarks?: boolean;
  /** Duration in milliseconds. Default: unlimited. */
  readonly timeoutMs?: number;
}

/** The start of a watch. */
export type WatchStart =
  /** Start with the first change after a revision. */
  | { readonly after: number }
  /**
   * Send the current state as ADDED events first. `marksEnd` sends a bookmark after it (`sendInitialEvents`, a
   * streaming list).
   */
  | { readonly initial: true; readonly marksEnd?: boolean };

/** Reason why a watch ended. */
export type WatchEnd =
  /** Its reader or the hub closed it. */
  | { readonly why: "closed" }
  /** Its timeout has passed. */
  | { readonly why: "deadline" }
  /**
   * Its reader was too slow: the changes that it has not read are compacted. Like kube-apiserver, the server closes the
   * connection.
   */
  | { readonly why: "slow" }
  /** Injected fault: the client gets a 410 error event in the stream. */
  | { readonly why: "expired" }
  /** Injected fault: the connection breaks. */
  | { readonly why: "dropped" }
  /** An object could not be decoded, matched or encoded. */
  | { readonly why: "failed"; readonly error: unknown };

/** Dependencies of a watcher, provided by its hub. */
export interface WatcherContext<T> {
  readonly store: Store<T>;
  readonly clock: Clock;
  readonly frames: Frames<T>;
  readonly bookmarkEveryMs: number;
  readonly lagMax: number;
  readonly ended: (watcher: Watcher<T>) => void;
}

/** Maximum number of events in a batch. */
const batchFramesMax = 256;
/** Maximum size in bytes of a batch of the initial state. */
const batchBytesMax = 256 * 1024;
/**
 * Time before the end of a watch at which its last bookmark is sent, so that the client resumes from a fresh revision.
 * Same as in kube-apiserver.
 */
const lastBookmarkMs = 2000;

/**
 * One watch: a position in the history of the store, which its reader advances.
 *
 * A watcher buffers no events. Changes that its reader has not read yet are in the history, which all watchers share. A
 * slow reader therefore costs no memory; one that falls behind `lagMax` changes or the compacted revision is ended, and
 * its client lists again.
 *
 *     #cursor      all changes up to here were given to the reader
 *     #shown       the reader may see changes up to here; set by the hub
 *     #initial     the part of the initial state that was not sent yet; changes follow after it
 *
 * Read it with `for await`, or with {@link Watcher.next}: batches of encoded events in the order of their revisions.
 */
export class Watcher<T> implements AsyncIterable<readonly Uint8Array[]> {
  readonly options: WatchOptions<T>;
  readonly #context: WatcherContext<T>;
  /** View of the initial state and the key to continue with, until all of it was sent. */
  #initial: { readonly view: View<T>; start: string } | undefined;
  #cursor: number;
  #shown: number;
  #isFirst = true;
  #isHeld = false;
  #isBookmarkDue = false;
  #bookmarkTimer: Timer | undefined;
  readonly #deadlineTimer: Timer | undefined;
  readonly #deadlineMs: number;
  #wake: (() => void) | undefined;
  #end: WatchEnd | undefined;

  /** `view` is the initial state if `options.from` requests one. */
  constructor(context: WatcherContext<T>, options: WatchOptions<T>, view: View<T> | undefined) {
    const { from, prefix, timeoutMs = Infinity } = options;
    this.#context = context;
    this.options = options;
    this.#cursor = "after" in from ? from.after : context.store.visibleRevision;
    if (view !== undefined) this.#initial = { view, start: prefix };
    this.#shown = this.#cursor;
    this.#deadlineMs = context.clock.monotonic() + timeoutMs;
    if (timeoutMs < Infinity)
      this.#deadlineTimer = context.clock.schedule(timeoutMs, () => this.finish({ why: "deadline" }));
    if (options.bookmarks === true) this.#scheduleBookmark();
  }

  /** Revision up to which all matching events were given to the reader. */
  get revision(): number {
    return this.#cursor;
  }

  /** Reason why the watch ended; undefined while it runs. */
  get end(): WatchEnd | undefined {
    return this.#end;
  }

  /** Waits for the next events and returns at least one. Returns undefined when the watch has ended. */
  async next(): Promise<readonly Uint8Array[] | undefined> {
    if (this.#wake !== undefined)
      throw new ArgumentError({ argument: "next", problem: "was called again before its first call was settled." });
    for (;;) {
      if (this.#end !== undefined) return undefined;
      try {
        const frames = this.#take();
        if (frames.length > 0) return await settled(frames);
      } catch (error) {
        this.finish({ why: "failed", error });
        return undefined;
      }
      // `#take` ends the watch if the changes it needs are compacted.
      if (this.end === undefined) await this.#untilWoken();
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<readonly Uint8Array[], void, undefined> {
    try {
      for (let batch = await this.next(); batch !== undefined; batch = await this.next()) yield batch;
    } finally {
      this.close();
    }
  }

  /** Ends the watch. */
  close(): void {
    this.finish({ why: "closed" });
  }

  /** Ends the watch with a reason. Only the first call has an effect. */
  finish(end: WatchEnd): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    this.#initial = undefined;
    this.#bookmarkTimer?.[Symbol.dispose]();
    this.#deadlineTimer?.[Symbol.dispose]();
    this.#context.ended(this);
    this.#wakeUp();
  }

  /** Makes all changes up to a revision available to the reader. Called by the hub. */
  show(visible: number): void {
    if (visible <= this.#shown || this.#end !== undefined) return;
    this.#shown = visible;
    if (this.#wake !== undefined && this.#initial === undefined && !this.#isHeld) {
      this.#skipUnrelated();
      if (this.#cursor < this.#shown) this.#wakeUp();
    }
    if (this.#shown - this.#cursor > this.#context.lagMax) this.finish({ why: "slow" });
  }

  /** Pauses or resumes the watch. Called by the hub. */
  hold(isHeld: boolean): void {
    if (this.#isHeld === isHeld) return;
    this.#isHeld = isHeld;
    if (!isHeld) this.#wakeUp();
  }

  /**
   * Advances an idle watcher past changes that do not match it. Otherwise a watcher of a quiet resource would fall
   * behind and be ended as slow because of writes to other resources.
   */
  #skipUnrelated(): void {
    const { store } = this.#context;
    try {
      for (; this.#cursor < this.#shown; this.#cursor += 1) {
        const change = store.change(this.#cursor + 1);
        if (change === undefined || this.#eventType(change) !== undefined) return;
      }
    } catch (error) {
      // End this watch rather than throw: the caller is the writer of the change, which must not fail because of a
      // watcher.
      this.finish({ why: "failed", error });
    }
  }

  #take(): Frame[] {
    const frames: Frame[] = [];
    if (this.#isHeld) return frames;
    if (this.#initial !== undefined) this.#takeInitial(this.#initial, frames);
    if (this.#initial === undefined) this.#takeChanges(frames);
    // A bookmark promises that all events up to its revision were sent, so it waits until the reader has caught up.
    if (this.#isBookmarkDue && this.#initial === undefined && this.#cursor === this.#shown) {
      this.#isBookmarkDue = false;
      frames.push(this.#nextShape().bookmark(this.#cursor, false));
    }
    return frames;
  }

  #takeInitial(initial: { readonly view: View<T>; start: string }, frames: Frame[]): void {
    const { prefix, key, matches, from } = this.options;
    const { view, start } = initial;
    let bytes = 0;
    let isComplete = true;
    view.scan({ prefix, start: key ?? start }, (entry) => {
      if (key !== undefined && entry.key !== key) return false;
      if (frames.length === batchFramesMax || bytes >= batchBytesMax) {
        initial.start = entry.key;
        isComplete = false;
        return false;
      }
      if (matches !== undefined && !matches(entry)) return true;
      frames.push(this.#nextShape().encode("ADDED", entry, entry.revision));
      bytes += entry.size;
      return true;
    });
    if (!isComplete) return;
    this.#initial = undefined;
    if ("initial" in from && from.marksEnd === true) frames.push(this.#nextShape().bookmark(view.revision, true));
  }

  #takeChanges(frames: Frame[]): void {
    const { store, frames: shared } = this.#context;
    while (this.#cursor < this.#shown && frames.length < batchFramesMax) {
      const change = store.change(this.#cursor + 1);
      if (change === undefined) return this.finish({ why: "slow" });
      this.#cursor += 1;
      const type = this.#eventType(change);
      if (type !== undefined) frames.push(shared.of(change, type, this.#nextShape()));
    }
  }

  /**
   * Returns the event that a change means for this watcher; undefined if the change is outside its keys or selectors.
   *
   * With selectors an update can mean any event: an object that starts to match was ADDED for this client, one that
   * stops was DELETED.
   */
  #eventType({ key, before, after }: Change<T>): EventType | undefined {
    const { options } = this;
    const { matches } = options;
    if (options.key === undefined ? !key.startsWith(options.prefix) : key !== options.key) return undefined;
    const isMatching = after !== undefined && (matches === undefined || matches(after));
    const wasMatching = before !== undefined && (matches === undefined || matches(before));
    if (isMatching) return wasMatching ? "MODIFIED" : "ADDED";
    return wasMatching ? "DELETED" : undefined;
  }

  #nextShape(): Shape<T> {
    const { shape, firstShape } = this.options;
    if (!this.#isFirst) return shape;
    this.#isFirst = false;
    return firstShape ?? shape;
  }

  #scheduleBookmark(): void {
    const { clock, bookmarkEveryMs } = this.#context;
    const leftMs = this.#deadlineMs - lastBookmarkMs - clock.monotonic();
    if (leftMs <= 0) return;
    this.#bookmarkTimer = clock.schedule(Math.min(bookmarkEveryMs, leftMs), () => {
      this.#isBookmarkDue = true;
      this.#scheduleBookmark();
      this.#wakeUp();
    });
  }

  #untilWoken(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #wakeUp(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }
}

/** Waits for encoded frames, but only if one of them is still a promise: most batches need no extra event loop turn. */
function settled(frames: readonly Frame[]): readonly Uint8Array[] | Promise<readonly Uint8Array[]> {
  return frames.every(isBytes) ? frames : Promise.all(frames.map(async (frame) => frame));
}

function isBytes(frame: Frame): frame is Uint8Array {
  return !(frame instanceof Promise);
}
