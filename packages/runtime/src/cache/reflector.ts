// Longer than most files: the state machine that keeps one ledger fed.

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
  ownValue,
  type Random,
  retryAfterMsOf,
  TooManyRequestsError,
} from "@homeostat/core";
import { type BackoffRange, ReconnectBackoff } from "./backoff.ts";
import { type HealthRecord, newHealth } from "./health.ts";
import type { Intake } from "./intake.ts";
import type { Ledger, ListOutcome } from "./ledger.ts";
import type { CacheNote, WatchEnding } from "./observer.ts";
import { Pacer } from "./pacer.ts";
import { SilenceGuard } from "./silence.ts";
import type { Source } from "./source.ts";
import { parseVersion } from "./version.ts";
import { WatchLine } from "./watch-line.ts";

/** How to list and watch. */
export interface ReflectorSettings {
  /**
   * How everything is fetched at first, and again after the server has forgotten what came since.
   *
   * - `whole`: in one answer, taken apart while it arrives. The fastest for server and client; the default.
   * - `pages`: in answers of `pageSize` objects.
   * - `stream`: as a watch that begins with everything (`sendInitialEvents`). Servers that cannot are asked for a list.
   */
  readonly list?: "whole" | "pages" | "stream";
  /** Default 500. */
  readonly pageSize?: number;
  /** How long no byte may come before a connection is given up and a new one made. Default 90 s: bookmarks come each minute. */
  readonly silenceMsMax?: number;
  /** Between which times the server is asked to end a watch. Default 150 to 220 s, below the limits of load balancers. */
  readonly watchSeconds?: { readonly min: number; readonly max: number };
  readonly backoff?: BackoffRange;
}

/** What a {@link Reflector} works with. */
export interface ReflectorParts<S, T> extends ReflectorSettings {
  readonly source: Source;
  readonly ledger: Ledger<T>;
  readonly intake: Intake<S, T>;
  readonly clock: Clock;
  readonly random: Random;
  readonly onNote?: (note: CacheNote) => void;
  /** Called when everything is there for the first time. */
  readonly onSynced?: () => void;
}

/** Where a reflector stands. */
type State =
  /** Knows nothing, or nothing that it could go on from. Next: `listing` or `streaming`. */
  | { readonly at: "empty" }
  /** Fetching a page. Next: the next page, or `watching`; `empty` when the server has forgotten the token. */
  | { readonly at: "listing"; readonly pageToken: string | undefined }
  /** Fetching everything as a watch. Next: `watching`, on the same connection; `empty` when it breaks. */
  | { readonly at: "streaming" }
  /** Following changes. A broken connection goes on from `version`; a 410 means `empty`. */
  | { readonly at: "watching"; readonly version: string };

/** What to do next, and after how long. */
interface Step {
  readonly state: State;
  readonly waitMs: number;
}

/** A watch that ends sooner than this without an event has failed, whatever the server says. */
const livedMsMin = 1000;
/** So many failures in a row that a server answered with mean that going on from this version leads nowhere. */
const refusalsMax = 5;
/** So many lists in a row that are older than what was seen mean that the server's history has begun anew. */
const staleListsMax = 3;
/** So many streams in a row that broke before everything had come mean that a list is the better way. */
const brokenStreamsMax = 2;
/** The longest that a server can make us wait. */
const retryAfterMsMax = 60_000;
/** Pieces are taken apart in parts of this size, so that none takes long. */
const partBytesMax = 256 * 1024;

/** What went wrong with one watch, in words of its own. */
class Suspicion extends Error {}

/** Keeps a ledger true to the server: lists once, then follows the changes, for as long as it runs. */
export class Reflector<S, T> {
  readonly #parts: ReflectorParts<S, T>;
  readonly #backoff: ReconnectBackoff;
  readonly #pacer: Pacer;
  readonly #line = new WatchLine();
  readonly health: HealthRecord = newHealth();
  #canStream: boolean;
  #usesPages: boolean;
  #staleLists = 0;
  #wasRefused = false;
  #brokenStreams = 0;
  #refusals = 0;
  /** How often the server has forgotten what came since, without a watch that lived in between. */
  #gones = 0;
  #listMode: "normal" | "trusting" | "reset" = "normal";
  #watches = 0;
  /** How much of the list under way has come, and since when it is. */
  #taken = { objects: 0, bytes: 0, since: 0 };
  /** The connection of the watch that is open, or being opened. */
  #watching: SilenceGuard | undefined;

  constructor(parts: ReflectorParts<S, T>) {
    this.#parts = parts;
    this.#backoff = new ReconnectBackoff(parts.random, parts.backoff);
    this.#pacer = new Pacer(parts.clock);
    this.#canStream = parts.list === "stream";
    this.#usesPages = parts.list === "pages";
  }

  /** Runs until the signal aborts. Never rejects: whatever fails is tried again. */
  async run(signal: AbortSignal): Promise<void> {
    let state: State = { at: "empty" };
    while (!signal.aborted) {
      this.health.at = state.at;
      const step: Step = await this.#step(state, signal);
      ({ state } = step);
      if (step.waitMs > 0) await this.#parts.clock.sleep(step.waitMs, signal).catch(() => undefined);
    }
    this.health.at = "stopped";
  }

  /** The ledger needs a list: what the watch tells cannot help it. */
  interrupt(): void {
    this.#watching?.abort(new Suspicion("What the watch tells does not agree with what we wrote."));
  }

  #step(state: State, signal: AbortSignal): Promise<Step> | Step {
    switch (state.at) {
      case "empty":
        return { state: this.#begin(), waitMs: 0 };
      case "listing":
        return this.#list(state.pageToken, signal);
      case "streaming":
        return this.#watch(undefined, signal);
      case "watching":
        // It may have been found out while we waited.
        return this.#parts.ledger.needsList
          ? { state: { at: "empty" }, waitMs: 0 }
          : this.#watch(state.version, signal);
    }
  }

  /** Begins to fetch everything. What was refused before is asked for in the plainest way. */
  #begin(): State {
    const isStream = this.#canStream && !this.#wasRefused;
    this.#taken = { objects: 0, bytes: 0, since: this.#parts.clock.monotonic() };
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
    const scanner = new ListScanner((bytes, span) => ledger.listed(intake.fromBytes(bytes, span)));
    const body = await source.list({
      signal: silence.signal,
      ...(this.#usesPages ? { limit: pageSize } : {}),
      ...(pageToken === undefined ? {} : { continue: pageToken }),
    });
    for await (const piece of body) {
      this.#pacer.begin();
      this.#heard(silence);
      this.#taken.bytes += piece.length;
      for (const part of partsOf(piece)) {
        scanner.push(part);
        if (this.#pacer.isDue) await this.#pacer.rest();
      }
      // A long list comes in thousands of small pieces. After a turn of the event loop there are many at once.
      if (this.#taken.bytes > partBytesMax) await this.#pacer.rest();
    }
    silence.signal.throwIfAborted();
    const head = scanner.finish();
    this.#taken.objects += scanner.items;
    return head;
  }

  /** Everything has come: is it to be believed? */
  async #endList(version: string): Promise<Step> {
    const outcome = await this.#parts.ledger.endList(parseVersion(version), this.#pacer);
    if (outcome !== "accepted") return this.#afterRefusedList(outcome);
    this.#staleLists = 0;
    this.#brokenStreams = 0;
    this.#listMode = "normal";
    this.#wasRefused = false;
    this.#usesPages = this.#parts.list === "pages";
    this.#succeeded();
    this.health.lists += 1;
    this.health.version = version;
    const { objects, bytes, since } = this.#taken;
    this.#note({ type: "listed", objects, bytes, ms: this.#parts.clock.monotonic() - since });
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
      // The newest state was asked for. A server that keeps giving an older one has been set back, from a backup maybe.
      this.#listMode = this.#staleLists >= staleListsMax ? "reset" : "normal";
    } else if (outcome === "suspect") this.#listMode = "trusting";
    return { state: { at: "empty" }, waitMs: outcome === "ambiguous" ? 0 : this.#backoff.fail() };
  }

  #afterFailedList(error: unknown, pageToken: string | undefined): Step {
    if (isGone(error)) {
      // The rest of this list is lost. In one piece it cannot be.
      this.#usesPages = false;
      return { state: { at: "empty" }, waitMs: this.#afterGone(error) };
    }
    // A page can be asked for again; the first one would be of another list.
    const state: State = pageToken === undefined ? { at: "empty" } : { at: "listing", pageToken };
    return { state, waitMs: this.#retryIn(error) };
  }

  // ── watching ──

  /** Follows the changes after a version; or, without one, fetches everything as a stream and goes on from there. */
  async #watch(from: string | undefined, signal: AbortSignal): Promise<Step> {
    const { clock } = this.#parts;
    const watch: OpenWatch = { version: from, openedAt: undefined, events: 0, endedAt: undefined };
    using silence = new SilenceGuard(clock, this.#silenceMsMax, signal);
    this.#watching = silence;
    let failure: { error: unknown } | undefined;
    try {
      await this.#follow(watch, silence);
    } catch (error) {
      failure = { error };
    }
    this.#watching = undefined;
    const ms = watch.openedAt === undefined ? 0 : clock.monotonic() - watch.openedAt;
    if (signal.aborted) return { state: { at: "empty" }, waitMs: 0 };
    const hasLived = watch.events > 0 || ms >= livedMsMin;
    if (!hasLived && !silence.isSilent) failure ??= { error: new Error("The watch ended at once, without an event.") };
    const ending = endingOf(failure?.error, silence.isSilent);
    this.#note({ type: "ended", ending, ms, events: watch.events });
    if (ending === "silent") this.health.silences += 1;
    if (watch.version === undefined) return this.#afterBrokenStream(failure?.error);
    if (hasLived && ending !== "suspicious") {
      this.#gones = 0;
      this.#succeeded();
    }
    return this.#afterWatch({ at: "watching", version: watch.version }, ending, failure?.error);
  }

  async #follow(watch: OpenWatch, silence: SilenceGuard): Promise<void> {
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
    // For whoever asks how it is. Whether to trust the server again is seen when the watch has lived.
    this.health.failures = 0;
    this.health.error = undefined;
    this.#note({ type: "watching", version: watch.version ?? "" });
    for await (const line of lines) {
      this.#pacer.begin();
      this.#heard(silence);
      this.#take(this.#line.read(line), watch);
      if (watch.endedAt !== undefined) await this.#endStream(watch, watch.endedAt);
      silence.signal.throwIfAborted();
      if (this.#pacer.isDue) await this.#pacer.rest();
    }
    silence.signal.throwIfAborted();
  }

  /** The initial events of a stream have all come. From here on it is a watch like any other. */
  async #endStream(watch: OpenWatch, version: string): Promise<void> {
    const { state } = await this.#endList(version);
    if (state.at !== "watching") throw new Suspicion("What the stream began with does not agree with what was seen.");
    watch.version = version;
    watch.endedAt = undefined;
    this.health.at = "watching";
  }

  /** Takes one event. */
  #take(line: WatchLine, watch: OpenWatch): void {
    const { ledger, intake, clock } = this.#parts;
    const { type, version } = line;
    if (type === "ERROR") throw errorOf(line.object);
    watch.events += 1;
    if (watch.version === undefined) return this.#takeInitial(line, watch);
    if (type === "BOOKMARK") {
      this.health.lastBookmarkAt = clock.now();
      ledger.reach(parseVersion(version));
    } else {
      this.health.lastEventAt = clock.now();
      ledger.apply(type, intake.fromBytes(line.bytes, line.span));
    }
    if (version === "") return;
    watch.version = version;
    this.health.version = version;
  }

  /** Takes one of the events that a stream begins with: what is there, and what changes before that is complete. */
  #takeInitial(line: WatchLine, watch: OpenWatch): void {
    const { ledger, intake } = this.#parts;
    const { type } = line;
    this.#taken.bytes += line.bytes.length;
    if (type === "BOOKMARK") {
      if (!isEndOfInitialEvents(line.object)) throw new Suspicion("The server does not begin a watch with everything.");
      watch.endedAt = line.version;
    } else if (type === "DELETED") ledger.apply(type, intake.fromBytes(line.bytes, line.span));
    else if (type !== "ERROR") {
      this.#taken.objects += 1;
      ledger.listed(intake.fromBytes(line.bytes, line.span));
    }
  }

  #afterWatch(state: State, ending: WatchEnding, error: unknown): Step {
    switch (ending) {
      case "closed":
      case "silent":
        // Servers close a watch after a while. Nothing was lost, and there is nothing to wait for.
        return { state, waitMs: 0 };
      case "gone":
        return { state: { at: "empty" }, waitMs: this.#afterGone(error) };
      case "busy":
        return { state, waitMs: this.#retryIn(error) };
      case "suspicious":
        return { state: { at: "empty" }, waitMs: this.#retryIn(error) };
      case "failed":
        if (error instanceof ApiError) this.#refusals += 1;
        return { state: this.#leadsNowhere(error) ? { at: "empty" } : state, waitMs: this.#retryIn(error) };
    }
  }

  /** Whether to begin again with a list: asking once more for what follows this version would be answered the same way. */
  #leadsNowhere(error: unknown): boolean {
    if (!(error instanceof BadRequestError) && !(error instanceof InvalidError) && this.#refusals < refusalsMax)
      return false;
    this.#refusals = 0;
    return true;
  }

  /** A stream ended before everything had come. */
  #afterBrokenStream(error: unknown): Step {
    const isRefused =
      error instanceof InvalidError || error instanceof BadRequestError || error instanceof ForbiddenError;
    this.#brokenStreams += 1;
    // A server that does not know of such streams never says that everything has come.
    if (isRefused || error instanceof Suspicion || this.#brokenStreams >= brokenStreamsMax) this.#canStream = false;
    if (isGone(error)) return { state: { at: "empty" }, waitMs: this.#afterGone(error) };
    return { state: { at: "empty" }, waitMs: isRefused ? 0 : this.#retryIn(error) };
  }

  // ── failures ──

  /**
   * The first time there is nothing to wait for, whatever failed before: the server answers again, and a list is what it
   * asks for. From then on it may be in trouble.
   */
  #afterGone(error: unknown): number {
    this.#gones += 1;
    this.health.gone += 1;
    this.#note({ type: "gone" });
    return this.#gones === 1 ? 0 : this.#retry(error, this.#backoff.fail());
  }

  #retryIn(error: unknown): number {
    const asked = retryAfterMsOf(error);
    if (error instanceof TooManyRequestsError) this.health.busy += 1;
    // A server that says when to come back knows better than any backoff.
    const waitMs =
      error instanceof TooManyRequestsError && asked !== undefined
        ? jitter(this.#parts.random, Math.min(asked, retryAfterMsMax), 0.5)
        : Math.max(this.#failed(error), Math.min(asked ?? 0, retryAfterMsMax));
    return this.#retry(error, waitMs);
  }

  #failed(error: unknown): number {
    const isUnheard = error instanceof NetworkError && error.socketCode === "ECONNREFUSED";
    return isUnheard ? this.#backoff.failUnheard() : this.#backoff.fail();
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

  // ── small things ──

  get #silenceMsMax(): number {
    return this.#parts.silenceMsMax ?? 90_000;
  }

  #heard(silence: SilenceGuard): void {
    silence.heard();
    this.health.lastByteAt = this.#parts.clock.now();
  }

  #note(note: CacheNote): void {
    this.#parts.onNote?.(note);
  }
}

/** A watch under way. */
interface OpenWatch {
  /** The version to go on from; undefined as long as the initial events have not all come. */
  version: string | undefined;
  /** When the server agreed to it. */
  openedAt: number | undefined;
  /** How many events and bookmarks have come. */
  events: number;
  /** The version at which the initial events ended, until that is dealt with. */
  endedAt: string | undefined;
}

function endingOf(error: unknown, isSilent: boolean): WatchEnding {
  if (isSilent) return "silent";
  if (error === undefined) return "closed";
  if (isGone(error)) return "gone";
  if (error instanceof TooManyRequestsError) return "busy";
  return error instanceof Suspicion ? "suspicious" : "failed";
}

function isGone(error: unknown): boolean {
  return error instanceof GoneError || (error instanceof ApiError && error.status === 410);
}

/** The error in an event of type `ERROR`. */
function errorOf(status: unknown): ApiError {
  const code = isRecord(status) ? ownValue(status, "code") : undefined;
  return apiErrorFrom({ status: typeof code === "number" ? code : 500, body: status });
}

function isEndOfInitialEvents(bookmark: unknown): boolean {
  const metadata = isRecord(bookmark) ? ownValue(bookmark, "metadata") : undefined;
  const annotations = isRecord(metadata) ? ownValue(metadata, "annotations") : undefined;
  return isRecord(annotations) && ownValue(annotations, "k8s.io/initial-events-end") === "true";
}

function* partsOf(piece: Uint8Array): Generator<Buffer> {
  const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
  for (let at = 0; at < bytes.length; at += partBytesMax) yield bytes.subarray(at, at + partBytesMax);
}
