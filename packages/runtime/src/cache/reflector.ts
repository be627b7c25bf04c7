// Longer than most files: this is one state machine.
//
// The reflector keeps one Ledger in sync with the API server, as client-go's reflector does for a DeltaFIFO: list,
// then watch from the version of the list. It differs from client-go in these points:
//
// - A list sends no resourceVersion, which makes it a consistent read. client-go's first list is at resourceVersion=0,
//   which a lagging API server may serve from an old watch cache, so that a restarted client sees an older state than
//   before its restart. After a 410, client-go lists at the last version that it has seen, which a server that lags behind
//   refuses as "too large resource version"; a list without a version cannot fail like that.
// - A watch that ends is resumed from the last version seen, including that of a bookmark. Only a 410, refused
//   requests, or data that contradicts what was seen before lead to a new list.
// - The reflector decides only when to send which request. Whether an object or a whole list is accepted is decided by
//   the Ledger (rules.ts), because only the Ledger knows what this process has written.
//
// The states and what leads from one to the next:
//
//            ┌──── 410, refused list, watch refused five times, contradiction ────┐
//            ▼                                                                    │
//          empty ──▶ listing ──(next page)──▶ listing ──── list accepted ────▶ watching ──┐
//            └─────▶ streaming ── bookmark "initial-events-end", same connection ──▲  ▲   │ closed, silent, failed:
//                                                                                     └───┘ resumed from `version`
//
// Why resuming matters: a list of a large kind costs the API server and this process seconds of CPU and all its bytes, a
// resumed watch only the changes since. The server keeps a limited history (etcd is compacted every five minutes by
// default, the watch cache holds a window of events). A version that has left it is refused with 410, and there is no way
// to learn about the missed deletions but a list. Bookmarks keep `version` recent for a kind that rarely changes: without
// them, a watch that saw no event for ten minutes would resume from a version that is already compacted, and list.
//
// The version to resume from advances only after the ledger has applied the event. In the other order, an error while an
// event is applied would skip that event for good. In this order it is at worst delivered twice, which the rules ignore.

import { type ListHead, ListScanner } from "@homeostat/client";
import {
  ApiError,
  apiErrorFrom,
  BadRequestError,
  type Clock,
  ForbiddenError,
  GoneError,
  InvalidError,
  isRecord,
  jitter,
  NetworkError,
  nextTurn,
  ownValue,
  type Random,
  retryAfterMsOf,
  TooManyRequestsError,
} from "@homeostat/core";
import { EventLoopYielder } from "../performance/event-loop-yielder.ts";
import { type BackoffRange, ReconnectBackoff } from "./backoff.ts";
import { type HealthRecord, newHealth } from "./health.ts";
import type { Intake } from "./intake.ts";
import type { Ledger, ListOutcome } from "./ledger.ts";
import type { CacheNote, WatchEnding } from "./observer.ts";
import { SilenceGuard } from "./silence.ts";
import type { Source } from "./source.ts";
import { parseVersion } from "./version.ts";
import { WatchLine } from "./watch-line.ts";

/**
 * Time that a cache may work before the event loop gets a turn. Several caches fill at the same time after a start, and
 * each has a budget of its own, so it is shorter than that of a work queue.
 */
export const turnMsMax = 8;

/** Settings of list and watch requests. */
export interface ReflectorSettings {
  /**
   * Method to fetch the full state, at the start and after a 410.
   *
   * - `whole`: one list response, split into objects while it arrives. Cheapest for server and client; the default.
   * - `pages`: list responses of `pageSize` objects each, which bounds the size of a response. API servers before
   *   Kubernetes 1.34 read all pages but the first from etcd instead of their watch cache, so many clients that start
   *   together load etcd.
   * - `stream`: a watch that starts with the full state (`sendInitialEvents`, the WatchList feature). Falls back to a
   *   list if the server does not support it.
   */
  readonly list?: "whole" | "pages" | "stream";
  /** Objects per list response with `pages`. Default 500. */
  readonly pageSize?: number;
  /**
   * Time without a byte after which a connection is considered dead and replaced. Default 90 s: servers send a
   * bookmark about every minute, so a healthy connection is never silent for that long.
   */
  readonly silenceMsMax?: number;
  /**
   * Range of the random `timeoutSeconds` of a watch. Default 150 to 220 s: below the connection limits of common load
   * balancers, and spread so that many watches do not reconnect at once.
   */
  readonly watchSeconds?: { readonly min: number; readonly max: number };
  /** Range of the delay after failures. Default 0.8 to 30 s. */
  readonly backoff?: BackoffRange;
}

/** Dependencies and settings of a {@link Reflector}. */
export interface ReflectorParts<S, T> extends ReflectorSettings {
  readonly source: Source;
  readonly ledger: Ledger<T>;
  readonly intake: Intake<S, T>;
  readonly clock: Clock;
  readonly random: Random;
  readonly onNote?: (note: CacheNote) => void;
  /** Called once, when the first list was accepted. */
  readonly onSynced?: () => void;
}

/** State of a reflector. */
type State =
  /** There is no version to watch from. Next: `listing` or `streaming`. */
  | { readonly at: "empty" }
  /**
   * A list, or a page of it, is being fetched. Next: the next page, or `watching`; `empty` when the continue token has
   * expired.
   */
  | { readonly at: "listing"; readonly pageToken: string | undefined }
  /**
   * The full state is being fetched by a watch. Next: `watching`, on the same connection; `empty` when it breaks
   * before the end.
   */
  | { readonly at: "streaming" }
  /** A watch is open or about to be. A broken connection is resumed from `version`; a 410 leads to `empty`. */
  | { readonly at: "watching"; readonly version: string };

/** The next state, and the delay before it is entered. */
interface Step {
  readonly state: State;
  readonly waitMs: number;
}

/**
 * A watch that ends sooner than this, without an event, counts as failed. Without this, a server or proxy that closes
 * every watch at once would be asked again in a tight loop. client-go has the same rule ("very short watch").
 */
const healthyMsMin = 1000;
/** Number of consecutive HTTP error responses to a watch after which it is given up and the reflector lists again. */
const refusalsMax = 5;
/** Number of consecutive stale lists after which the reflector assumes that etcd was restored from a backup. */
const staleListsMax = 3;
/** Number of consecutive streams broken before the end of the initial events, after which the reflector uses lists. */
const brokenStreamsMax = 2;
/** Upper limit on a `Retry-After` sent by the server. */
const retryAfterMsMax = 60_000;
/** Chunks of a list are scanned in parts of this size, so that the event loop can get a turn between them. */
const partBytesMax = 256 * 1024;

/**
 * A watch or stream that contradicts what was seen before or violates the protocol. Ends the watch and leads to a
 * list.
 */
class InconsistencyError extends Error {}

/** A list-and-watch loop that keeps a {@link Ledger} in sync with the API server. */
export class Reflector<S, T> {
  readonly #parts: ReflectorParts<S, T>;
  readonly #backoff: ReconnectBackoff;
  readonly #yielder: EventLoopYielder;
  readonly #line = new WatchLine();
  readonly health: HealthRecord = newHealth();
  #canStream: boolean;
  #usesPages: boolean;
  /** Consecutive stale lists, see {@link staleListsMax}. */
  #staleLists = 0;
  /** True if the ledger refused the last list. The next one is requested as a plain list, not as a stream. */
  #wasRefused = false;
  #brokenStreams = 0;
  /** Consecutive HTTP error responses to a watch, see {@link refusalsMax}. */
  #refusals = 0;
  /** Consecutive 410 responses without a healthy watch in between. */
  #consecutiveGone = 0;
  #listMode: "normal" | "trusting" | "reset" = "normal";
  #watches = 0;
  /** Size of the list in progress, and the monotonic time it was started. */
  #listProgress = { objects: 0, bytes: 0, startedAt: 0 };
  /** The guard of the watch that is open or being opened. */
  #watchGuard: SilenceGuard | undefined;

  constructor(parts: ReflectorParts<S, T>) {
    this.#parts = parts;
    this.#backoff = new ReconnectBackoff(parts.random, parts.backoff);
    this.#yielder = new EventLoopYielder(parts.clock, { turnMsMax });
    this.#canStream = parts.list === "stream";
    this.#usesPages = parts.list === "pages";
  }

  /**
   * Runs until the signal aborts. Never rejects: every failure is retried. A cache that gave up would look like a cluster in
   * which nothing changes; controllers would go on with an old state and report no error.
   */
  async run(signal: AbortSignal): Promise<void> {
    let state: State = { at: "empty" };
    while (!signal.aborted) {
      this.health.state = state.at;
      const step: Step = await this.#step(state, signal);
      ({ state } = step);
      if (step.waitMs > 0) await this.#parts.clock.sleep(step.waitMs, signal).catch(() => undefined);
    }
    this.health.state = "stopped";
  }

  /**
   * Ends the watch so that the next step is a list. Called by the ledger when watch events cannot resolve a
   * contradiction.
   */
  interrupt(): void {
    this.#watchGuard?.abort(new InconsistencyError("The watch cannot confirm what this process wrote. Listing again."));
  }

  #step(state: State, signal: AbortSignal): Promise<Step> | Step {
    switch (state.at) {
      case "empty":
        return { state: this.#startFetch(), waitMs: 0 };
      case "listing":
        return this.#list(state.pageToken, signal);
      case "streaming":
        return this.#watch(undefined, signal);
      case "watching":
        // The ledger may have demanded a list during the delay before this step.
        return this.#parts.ledger.needsList
          ? { state: { at: "empty" }, waitMs: 0 }
          : this.#watch(state.version, signal);
    }
  }

  /**
   * Starts to fetch the full state. After a refused list, a plain list is used: it is the simplest request there is.
   */
  #startFetch(): State {
    const isStream = this.#canStream && !this.#wasRefused;
    this.#listProgress = { objects: 0, bytes: 0, startedAt: this.#parts.clock.monotonic() };
    this.#parts.ledger.beginList({ mode: this.#listMode, isStream });
    return isStream ? { at: "streaming" } : { at: "listing", pageToken: undefined };
  }

  // ── listing ──

  async #list(pageToken: string | undefined, signal: AbortSignal): Promise<Step> {
    const { clock } = this.#parts;
    using silence = new SilenceGuard(clock, this.#silenceMsMax, signal);
    try {
      const head = await this.#readPage(pageToken, silence);
      if (head.continue !== undefined) return { state: { at: "listing", pageToken: head.continue }, waitMs: 0 };
      return await this.#endList(head.resourceVersion);
    } catch (error) {
      if (signal.aborted) return { state: { at: "empty" }, waitMs: 0 };
      if (silence.isSilent) this.health.silences += 1;
      return this.#afterFailedList(error, pageToken);
    }
  }

  async #readPage(pageToken: string | undefined, silence: SilenceGuard): Promise<ListHead> {
    const { source, ledger, intake, pageSize = 500 } = this.#parts;
    const scanner = new ListScanner((bytes, span) => ledger.applyListed(intake.fromBytes(bytes, span)));
    const body = await source.list({
      signal: silence.signal,
      ...(this.#usesPages ? { limit: pageSize } : {}),
      ...(pageToken === undefined ? {} : { continue: pageToken }),
    });
    for await (const chunk of body) {
      this.#yielder.begin();
      this.#receivedBytes(silence);
      this.#listProgress.bytes += chunk.length;
      for (const part of partsOf(chunk)) {
        scanner.push(part);
        const pause = this.#yielder.pause();
        if (pause !== undefined) await pause;
      }
      // The socket delivers a long list in thousands of small chunks. Yielding to the event loop lets many of them
      // arrive at once, so that the loop does not pay for each of them separately.
      if (this.#listProgress.bytes > partBytesMax) await nextTurn();
    }
    silence.signal.throwIfAborted();
    const head = scanner.finish();
    this.#listProgress.objects += scanner.items;
    return head;
  }

  /** Ends a list whose objects have all been passed to the ledger, and starts to watch if the ledger accepts it. */
  async #endList(version: string): Promise<Step> {
    const outcome = await this.#parts.ledger.endList(parseVersion(version), this.#yielder);
    if (outcome !== "accepted") return this.#afterRefusedList(outcome);
    this.#staleLists = 0;
    this.#brokenStreams = 0;
    this.#listMode = "normal";
    this.#wasRefused = false;
    this.#usesPages = this.#parts.list === "pages";
    this.#succeeded();
    this.health.lists += 1;
    this.health.version = version;
    const { objects, bytes, startedAt } = this.#listProgress;
    this.#note({ type: "listed", objects, bytes, ms: this.#parts.clock.monotonic() - startedAt });
    if (!this.health.isSynced) {
      this.health.isSynced = true;
      this.#parts.onSynced?.();
    }
    return { state: this.#parts.ledger.needsList ? { at: "empty" } : { at: "watching", version }, waitMs: 0 };
  }

  #afterRefusedList(outcome: Exclude<ListOutcome, "accepted">): Step {
    this.health.refusedLists += 1;
    this.#wasRefused = true;
    this.#note({ type: "refused", outcome });
    if (outcome === "stale") {
      this.#staleLists += 1;
      // The request asked for the newest state. A server that keeps returning an older one has lost history, for
      // example because etcd was restored from a backup. Insisting on the old versions would leave the cache stale
      // forever.
      this.#listMode = this.#staleLists >= staleListsMax ? "reset" : "normal";
    } else if (outcome === "suspect") this.#listMode = "trusting";
    return { state: { at: "empty" }, waitMs: outcome === "ambiguous" ? 0 : this.#backoff.fail() };
  }

  #afterFailedList(error: unknown, pageToken: string | undefined): Step {
    if (isGone(error)) {
      // The continue token has expired (etcd has compacted its revision), so the remaining pages cannot be fetched. A
      // list in one response cannot expire halfway.
      this.#usesPages = false;
      return { state: { at: "empty" }, waitMs: this.#afterGone(error) };
    }
    // A later page can be requested again with its token, which names the revision of the first page, so all pages are of one
    // state. Requesting the first page again would start another list at a newer revision, and a server that fails now and
    // then could keep a list of many pages from ever ending.
    const state: State = pageToken === undefined ? { at: "empty" } : { at: "listing", pageToken };
    return { state, waitMs: this.#retryDelayMs(error) };
  }

  // ── watching ──

  /**
   * Watches from a version; without one, fetches the full state as a stream and continues as a watch on the same
   * connection.
   */
  async #watch(from: string | undefined, signal: AbortSignal): Promise<Step> {
    const { clock } = this.#parts;
    const watch: OpenWatch = { version: from, openedAt: undefined, events: 0, initialEventsEnd: undefined };
    using silence = new SilenceGuard(clock, this.#silenceMsMax, signal);
    this.#watchGuard = silence;
    let failure: { error: unknown } | undefined;
    try {
      await this.#readWatch(watch, silence);
    } catch (error) {
      failure = { error };
    }
    this.#watchGuard = undefined;
    const ms = watch.openedAt === undefined ? 0 : clock.monotonic() - watch.openedAt;
    if (signal.aborted) return { state: { at: "empty" }, waitMs: 0 };
    // A bookmark counts as an event: it proves that the server serves this watch.
    const wasHealthy = watch.events > 0 || ms >= healthyMsMin;
    if (!wasHealthy && !silence.isSilent)
      failure ??= { error: new Error("The watch ended immediately, without an event.") };
    const ending = endingOf(failure?.error, silence.isSilent);
    this.#note({ type: "ended", ending, ms, events: watch.events });
    if (ending === "silent") this.health.silences += 1;
    if (watch.version === undefined) return this.#afterBrokenStream(failure?.error);
    if (wasHealthy && ending !== "suspicious") {
      this.#consecutiveGone = 0;
      this.#succeeded();
    }
    return this.#afterWatch({ at: "watching", version: watch.version }, ending, failure?.error);
  }

  async #readWatch(watch: OpenWatch, silence: SilenceGuard): Promise<void> {
    const { source, clock, random, watchSeconds: { min, max } = { min: 150, max: 220 } } = this.#parts;
    const lines = await source.watch({
      resourceVersion: watch.version ?? "",
      timeoutSeconds: Math.round(min + random.next() * (max - min)),
      signal: silence.signal,
      ...(watch.version === undefined ? { sendInitialEvents: true } : {}),
    });
    if (this.#watches > 0) this.health.reconnects += 1;
    this.#watches += 1;
    watch.openedAt = clock.monotonic();
    // Only for health reports. The backoff is reset later, when the watch has proven healthy.
    this.health.failures = 0;
    this.health.error = undefined;
    this.#note({ type: "watching", version: watch.version ?? "" });
    for await (const line of lines) {
      this.#yielder.begin();
      this.#receivedBytes(silence);
      this.#handleEvent(this.#line.read(line), watch);
      if (watch.initialEventsEnd !== undefined) await this.#endStream(watch, watch.initialEventsEnd);
      silence.signal.throwIfAborted();
      const pause = this.#yielder.pause();
      if (pause !== undefined) await pause;
    }
    silence.signal.throwIfAborted();
  }

  /** Ends the initial events of a stream. From here on it is an ordinary watch. */
  async #endStream(watch: OpenWatch, version: string): Promise<void> {
    const { state } = await this.#endList(version);
    if (state.at !== "watching")
      throw new InconsistencyError("The initial events of the stream contradict what was seen before.");
    watch.version = version;
    watch.initialEventsEnd = undefined;
    this.health.state = "watching";
  }

  /** Handles one event and advances the version to resume from. */
  #handleEvent(line: WatchLine, watch: OpenWatch): void {
    const { ledger, intake, clock } = this.#parts;
    const { type, version } = line;
    if (type === "ERROR") throw errorOf(line.object);
    watch.events += 1;
    if (watch.version === undefined) return this.#handleInitialEvent(line, watch);
    if (type === "BOOKMARK") {
      this.health.lastBookmarkAt = clock.now();
      ledger.advanceTo(parseVersion(version));
    } else {
      this.health.lastEventAt = clock.now();
      ledger.applyEvent(type, intake.fromBytes(line.bytes, line.span));
    }
    if (version === "") return;
    watch.version = version;
    this.health.version = version;
  }

  /**
   * Handles one of the initial events of a stream: existing objects, and changes that happen before the closing
   * bookmark.
   */
  #handleInitialEvent(line: WatchLine, watch: OpenWatch): void {
    const { ledger, intake } = this.#parts;
    const { type } = line;
    this.#listProgress.bytes += line.bytes.length;
    if (type === "BOOKMARK") {
      if (!isEndOfInitialEvents(line.object))
        throw new InconsistencyError("The server does not support sendInitialEvents.");
      watch.initialEventsEnd = line.version;
    } else if (type === "DELETED") ledger.applyEvent(type, intake.fromBytes(line.bytes, line.span));
    else if (type !== "ERROR") {
      this.#listProgress.objects += 1;
      ledger.applyListed(intake.fromBytes(line.bytes, line.span));
    }
  }

  #afterWatch(state: State, ending: WatchEnding, error: unknown): Step {
    switch (ending) {
      case "closed":
      case "silent":
        // Servers close a watch when its timeout ends. Nothing is lost, so it is resumed without a delay. The same holds for a
        // connection without bytes: events that the server sent into it are sent again, because they are after `version`.
        return { state, waitMs: 0 };
      case "gone":
        return { state: { at: "empty" }, waitMs: this.#afterGone(error) };
      // Overload (429) is no reason to list: the list would be the most expensive request of all, sent at the worst time.
      case "busy":
        return { state, waitMs: this.#retryDelayMs(error) };
      case "suspicious":
        return { state: { at: "empty" }, waitMs: this.#retryDelayMs(error) };
      // A broken connection says nothing about `version`, so the watch is resumed from it. If the clients of an API server that
      // comes back after an outage all listed instead, the lists would overload it again.
      case "failed":
        if (error instanceof ApiError) this.#refusals += 1;
        return { state: this.#mustRelist(error) ? { at: "empty" } : state, waitMs: this.#retryDelayMs(error) };
    }
  }

  /**
   * Reports whether to list again because the server will not accept a watch from this version: at once if it calls
   * the request invalid (400, 422), otherwise after {@link refusalsMax} error responses in a row.
   */
  #mustRelist(error: unknown): boolean {
    if (!(error instanceof BadRequestError) && !(error instanceof InvalidError) && this.#refusals < refusalsMax)
      return false;
    this.#refusals = 0;
    return true;
  }

  /** Decides what to do after a stream that ended before its initial events were complete. */
  #afterBrokenStream(error: unknown): Step {
    const isRefused =
      error instanceof InvalidError || error instanceof BadRequestError || error instanceof ForbiddenError;
    this.#brokenStreams += 1;
    // A server without the feature ignores the parameter and never sends the closing bookmark.
    if (isRefused || error instanceof InconsistencyError || this.#brokenStreams >= brokenStreamsMax)
      this.#canStream = false;
    if (isGone(error)) return { state: { at: "empty" }, waitMs: this.#afterGone(error) };
    return { state: { at: "empty" }, waitMs: isRefused ? 0 : this.#retryDelayMs(error) };
  }

  // ── failures ──

  /**
   * Returns the delay before the list that follows a 410. The first one is sent at once, whatever failed before: the
   * server responds again, and a list is what it asks for. Further 410s without a healthy watch in between mean
   * trouble, so they back off.
   */
  #afterGone(error: unknown): number {
    this.#consecutiveGone += 1;
    this.health.gone += 1;
    this.#note({ type: "gone" });
    return this.#consecutiveGone === 1 ? 0 : this.#retry(error, this.#backoff.fail());
  }

  #retryDelayMs(error: unknown): number {
    const asked = retryAfterMsOf(error);
    if (error instanceof TooManyRequestsError) this.health.busy += 1;
    // Retry-After of a 429 (API priority and fairness) replaces the backoff. The jitter keeps clients that were
    // rejected together from returning together.
    const waitMs =
      error instanceof TooManyRequestsError && asked !== undefined
        ? jitter(this.#parts.random, Math.min(asked, retryAfterMsMax), 0.5)
        : Math.max(this.#nextBackoffMs(error), Math.min(asked ?? 0, retryAfterMsMax));
    return this.#retry(error, waitMs);
  }

  #nextBackoffMs(error: unknown): number {
    const isConnectionRefused = error instanceof NetworkError && error.socketCode === "ECONNREFUSED";
    return isConnectionRefused ? this.#backoff.failRefused() : this.#backoff.fail();
  }

  #retry(error: unknown, inMs: number): number {
    this.health.error = error;
    this.health.failures = this.#backoff.failures;
    this.#note({ type: "retrying", error, inMs });
    return inMs;
  }

  #succeeded(): void {
    this.#backoff.reset();
    this.#refusals = 0;
    this.health.failures = 0;
    this.health.error = undefined;
  }

  // ── helpers ──

  get #silenceMsMax(): number {
    return this.#parts.silenceMsMax ?? 90_000;
  }

  #receivedBytes(silence: SilenceGuard): void {
    silence.received();
    this.health.lastByteAt = this.#parts.clock.now();
  }

  #note(note: CacheNote): void {
    this.#parts.onNote?.(note);
  }
}

/** A watch that is open or being opened. */
interface OpenWatch {
  /** Version to resume from; undefined until the initial events of a stream are complete. */
  version: string | undefined;
  /** Monotonic time at which the server accepted the watch; undefined before. */
  openedAt: number | undefined;
  /** Number of events and bookmarks received. */
  events: number;
  /** Version of the bookmark that closed the initial events, until it has been handled. */
  initialEventsEnd: string | undefined;
}

function endingOf(error: unknown, isSilent: boolean): WatchEnding {
  if (isSilent) return "silent";
  if (error === undefined) return "closed";
  if (isGone(error)) return "gone";
  if (error instanceof TooManyRequestsError) return "busy";
  return error instanceof InconsistencyError ? "suspicious" : "failed";
}

function isGone(error: unknown): boolean {
  return error instanceof GoneError || (error instanceof ApiError && error.status === 410);
}

/**
 * Returns the error described by the `Status` in an event of type `ERROR`. A server that has already responded with 200
 * reports a failure in this way, so a 410 can be the status of the response or an event of the watch.
 */
function errorOf(status: unknown): ApiError {
  const code = isRecord(status) ? ownValue(status, "code") : undefined;
  return apiErrorFrom({ status: typeof code === "number" ? code : 500, body: status });
}

function isEndOfInitialEvents(bookmark: unknown): boolean {
  const metadata = isRecord(bookmark) ? ownValue(bookmark, "metadata") : undefined;
  const annotations = isRecord(metadata) ? ownValue(metadata, "annotations") : undefined;
  return isRecord(annotations) && ownValue(annotations, "k8s.io/initial-events-end") === "true";
}

function* partsOf(chunk: Uint8Array): Generator<Buffer> {
  const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  for (let at = 0; at < bytes.length; at += partBytesMax) yield bytes.subarray(at, at + partBytesMax);
}
