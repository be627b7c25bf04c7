import { ArgumentError, type Clock, type Timer } from "@homeostat/core";
import type { Entry } from "../storage/entry.ts";
import type { Change } from "../storage/history.ts";
import type { Store } from "../storage/store.ts";
import type { View } from "../storage/view.ts";
import type { Frames } from "./frames.ts";
import type { EventType, Frame, Shape } from "./shape.ts";

/** What a watcher wants to be told. */
export interface WatchOptions<T> {
  /** What the keys begin with; ends with a slash. */
  readonly prefix: string;
  /** This key alone, of those with the prefix. */
  readonly key?: string;
  /** With which state to begin. */
  readonly from: WatchStart;
  /** Which entries to tell of, when the watch has selectors. One that stops to match is told of as deleted. */
  readonly matches?: (entry: Entry<T>) => boolean;
  readonly shape: Shape<T>;
  /** For the first event alone, where that differs: the first event of a table carries its columns. */
  readonly firstShape?: Shape<T>;
  /** Whether to say from time to time how far the client is. */
  readonly bookmarks?: boolean;
  /** How long it lasts, in milliseconds. Default: until somebody ends it. */
  readonly timeoutMs?: number;
}

/** Where a watch begins. */
export type WatchStart =
  /** With the first change after a revision. */
  | { readonly after: number }
  /** With the present state, as if all of it were just added; `marksEnd` puts a bookmark behind it. */
  | { readonly initial: true; readonly marksEnd?: boolean };

/** Why a watch is over. */
export type WatchEnd =
  /** Its reader, or the hub, closed it. */
  | { readonly why: "closed" }
  /** Its time was up. */
  | { readonly why: "deadline" }
  /** Its reader was too slow: what it has not read yet is forgotten. A real server just closes the connection. */
  | { readonly why: "slow" }
  /** A fault: the client is to be told 410 in the stream. */
  | { readonly why: "expired" }
  /** A fault: the connection breaks. */
  | { readonly why: "dropped" }
  /** Something could not be decoded, matched or encoded. */
  | { readonly why: "failed"; readonly error: unknown };

/** What a watcher needs of the hub it belongs to. */
export interface WatcherHome<T> {
  readonly store: Store<T>;
  readonly clock: Clock;
  readonly frames: Frames<T>;
  readonly bookmarkEveryMs: number;
  readonly lagMax: number;
  readonly ended: (watcher: Watcher<T>) => void;
}

/** A batch is handed out when it has so many events, or so many bytes of the initial state. */
const batchFramesMax = 256;
const batchBytesMax = 256 * 1024;
/** How long before the end of a watch the last bookmark is sent. */
const lastBookmarkMs = 2000;

/**
 * One watch: a place in the history of the store, which its reader moves on.
 *
 * It holds no events. What is not read yet stays where all watchers share it, in the history; so a slow reader costs nothing, and
 * a reader that is slower than history is ended. Read it with `for await`, or with {@link Watcher.next}: batches of encoded
 * events, in the order of their revisions.
 */
export class Watcher<T> implements AsyncIterable<readonly Uint8Array[]> {
  readonly options: WatchOptions<T>;
  readonly #home: WatcherHome<T>;
  /** The initial state, while it is being read, and the key to go on with. */
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

  /** `view` is the state to begin with when `options.from` asks for one. */
  constructor(home: WatcherHome<T>, options: WatchOptions<T>, view: View<T> | undefined) {
    const { from, prefix, timeoutMs = Infinity } = options;
    this.#home = home;
    this.options = options;
    this.#cursor = "after" in from ? from.after : home.store.visibleRevision;
    if (view !== undefined) this.#initial = { view, start: prefix };
    this.#shown = this.#cursor;
    this.#deadlineMs = home.clock.monotonic() + timeoutMs;
    if (timeoutMs < Infinity)
      this.#deadlineTimer = home.clock.schedule(timeoutMs, () => this.finish({ why: "deadline" }));
    if (options.bookmarks === true) this.#scheduleBookmark();
  }

  /** Everything up to this revision that concerns the watcher has been handed to its reader. */
  get revision(): number {
    return this.#cursor;
  }

  /** Why it is over; `undefined` while it is not. */
  get end(): WatchEnd | undefined {
    return this.#end;
  }

  /** The next events, at least one; waits for them. `undefined` when the watch is over. */
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
      // Taking may have found that history is gone.
      if (this.end === undefined) await this.#woken();
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

  /** Ends the watch, for a reason; only the first reason counts. */
  finish(end: WatchEnd): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    this.#initial = undefined;
    this.#bookmarkTimer?.[Symbol.dispose]();
    this.#deadlineTimer?.[Symbol.dispose]();
    this.#home.ended(this);
    this.#wakeUp();
  }

  /** Lets the reader see everything up to a revision. Called by the hub. */
  show(visible: number): void {
    if (visible <= this.#shown || this.#end !== undefined) return;
    this.#shown = visible;
    if (this.#wake !== undefined && this.#initial === undefined && !this.#isHeld) {
      this.#passOver();
      if (this.#cursor < this.#shown) this.#wakeUp();
    }
    if (this.#shown - this.#cursor > this.#home.lagMax) this.finish({ why: "slow" });
  }

  /** Shows the reader nothing at all, or lets it go on. Called by the hub. */
  hold(isHeld: boolean): void {
    if (this.#isHeld === isHeld) return;
    this.#isHeld = isHeld;
    if (!isHeld) this.#wakeUp();
  }

  /** Moves an idle watcher past changes that are none of its business, so that it is never behind for nothing. */
  #passOver(): void {
    const { store } = this.#home;
    try {
      for (; this.#cursor < this.#shown; this.#cursor += 1) {
        const change = store.change(this.#cursor + 1);
        if (change === undefined || this.#typeOf(change) !== undefined) return;
      }
    } catch (error) {
      // Not for the writer whose change this is.
      this.finish({ why: "failed", error });
    }
  }

  #take(): Frame[] {
    const frames: Frame[] = [];
    if (this.#isHeld) return frames;
    if (this.#initial !== undefined) this.#takeInitial(this.#initial, frames);
    if (this.#initial === undefined) this.#takeChanges(frames);
    if (this.#isBookmarkDue && this.#initial === undefined && this.#cursor === this.#shown) {
      this.#isBookmarkDue = false;
      frames.push(this.#shape().bookmark(this.#cursor, false));
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
      frames.push(this.#shape().encode("ADDED", entry, entry.revision));
      bytes += entry.size;
      return true;
    });
    if (!isComplete) return;
    this.#initial = undefined;
    if ("initial" in from && from.marksEnd === true) frames.push(this.#shape().bookmark(view.revision, true));
  }

  #takeChanges(frames: Frame[]): void {
    const { store, frames: shared } = this.#home;
    while (this.#cursor < this.#shown && frames.length < batchFramesMax) {
      const change = store.change(this.#cursor + 1);
      if (change === undefined) return this.finish({ why: "slow" });
      this.#cursor += 1;
      const type = this.#typeOf(change);
      if (type !== undefined) frames.push(shared.of(change, type, this.#shape()));
    }
  }

  /** What a change is to this watcher. */
  #typeOf({ key, before, after }: Change<T>): EventType | undefined {
    const { options } = this;
    const { matches } = options;
    if (options.key === undefined ? !key.startsWith(options.prefix) : key !== options.key) return undefined;
    const is = after !== undefined && (matches === undefined || matches(after));
    const was = before !== undefined && (matches === undefined || matches(before));
    if (is) return was ? "MODIFIED" : "ADDED";
    return was ? "DELETED" : undefined;
  }

  #shape(): Shape<T> {
    const { shape, firstShape } = this.options;
    if (!this.#isFirst) return shape;
    this.#isFirst = false;
    return firstShape ?? shape;
  }

  #scheduleBookmark(): void {
    const { clock, bookmarkEveryMs } = this.#home;
    const leftMs = this.#deadlineMs - lastBookmarkMs - clock.monotonic();
    if (leftMs <= 0) return;
    this.#bookmarkTimer = clock.schedule(Math.min(bookmarkEveryMs, leftMs), () => {
      this.#isBookmarkDue = true;
      this.#scheduleBookmark();
      this.#wakeUp();
    });
  }

  #woken(): Promise<void> {
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

/** Frames that are all there; without waiting, when they are already. */
function settled(frames: readonly Frame[]): readonly Uint8Array[] | Promise<readonly Uint8Array[]> {
  return frames.every(isThere) ? frames : Promise.all(frames.map(async (frame) => frame));
}

function isThere(frame: Frame): frame is Uint8Array {
  return !(frame instanceof Promise);
}
