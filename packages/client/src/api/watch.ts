import type { KubeObject, ResourceType } from "@homeostat/core";
import { mapped } from "../internal/mapped.ts";
import type { LineOptions } from "../scan/line-splitter.ts";
import type { Request, Response } from "../transport/transport.ts";
import { call, type Caller, type CallOptions, subjectOf } from "./call.ts";
import { linesOf } from "./lines.ts";
import { expiredFailure } from "./expired.ts";
import { acceptHeader } from "./objects.ts";
import { collectionPath, withQuery } from "./paths.ts";
import { selectorQuery, type SelectorOptions } from "./selectors.ts";
import { eventIn, type WatchEvent } from "./watch-event.ts";

/** Which objects to watch, and from when. */
export interface WatchOptions extends SelectorOptions, CallOptions {
  /** Only those of this namespace; of all when left out. */
  readonly namespace?: string | undefined;
  /** The version after which changes are wanted: that of a list or of the last event. Left out: all objects, then changes. */
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: "NotOlderThan" | undefined;
  /** Whether to begin with all objects and mark their end by a bookmark. Sets `resourceVersionMatch` unless it is set. */
  readonly sendInitialEvents?: boolean | undefined;
  /** Whether the server tells the version now and then although nothing changed. Default true. */
  readonly allowWatchBookmarks?: boolean | undefined;
  /** After so many seconds the server ends the watch. Left out: after 30 to 60 minutes. */
  readonly timeoutSeconds?: number | undefined;
  /**
   * With no byte for so many milliseconds, bookmarks included, the connection is taken for dead: a `NetworkError`. Left
   * out: never, save by the system's own probes after about ten minutes.
   */
  readonly idleMs?: number | undefined;
  /** The longest event. Default 64 MiB, more than any object. */
  readonly lineBytesMax?: number | undefined;
}

/** A watch as it comes over the wire: what the server said of it, and its lines, each an event in JSON. */
export interface WatchLines {
  readonly headers: Response["headers"];
  readonly lines: AsyncIterableIterator<Buffer>;
}

/**
 * Watches objects of a kind: resolves when the server has agreed, and then yields events until the server ends it.
 *
 * An event that says that the watch has failed is thrown, a 410 as an `ExpiredError`.
 */
export async function watchEvents<T extends KubeObject>(
  caller: Caller,
  type: ResourceType<T>,
  options: WatchOptions = {},
): Promise<AsyncIterableIterator<WatchEvent<T>>> {
  const request = watchRequest(type, options);
  const { body } = await call(caller, request, expiredFailure);
  return mapped(linesOf(body, lineOptions(options)), (line) =>
    eventIn(line, { type, request, now: caller.clock.now() }),
  );
}

/** Watches objects of a kind and leaves the reading of the lines to the caller. */
export async function watchLines(caller: Caller, type: ResourceType, options: WatchOptions = {}): Promise<WatchLines> {
  const { headers, body } = await call(caller, watchRequest(type, options), expiredFailure);
  return { headers, lines: linesOf(body, lineOptions(options)) };
}

function lineOptions({ lineBytesMax }: WatchOptions): LineOptions {
  return lineBytesMax === undefined ? {} : { bytesMax: lineBytesMax };
}

function watchRequest(type: ResourceType, options: WatchOptions): Request {
  const { namespace, resourceVersion, sendInitialEvents, timeoutSeconds, idleMs, timeouts, signal } = options;
  const match = sendInitialEvents === true ? "NotOlderThan" : undefined;
  return {
    method: "GET",
    path: withQuery(collectionPath(type, namespace), {
      watch: true,
      ...selectorQuery(options),
      allowWatchBookmarks: options.allowWatchBookmarks ?? true,
      resourceVersion,
      resourceVersionMatch: options.resourceVersionMatch ?? match,
      // Unlike other flags, this one means something when it is false.
      sendInitialEvents: sendInitialEvents === undefined ? undefined : String(sendInitialEvents),
      timeoutSeconds,
    }),
    headers: { accept: acceptHeader(type, "object") },
    about: subjectOf("watch", type),
    isStream: true,
    timeouts: { ...timeouts, idleMs: idleMs ?? timeouts?.idleMs ?? Infinity },
    signal,
  };
}
