import type { KubeObject, ResourceType } from "@homeostat/core";
import { mapped } from "../async/mapped.ts";
import type { LineOptions } from "../scan/line-splitter.ts";
import type { Request, Response } from "../transport/transport.ts";
import { call, type Caller, type CallOptions, subjectOf } from "./call.ts";
import { linesOf } from "./lines.ts";
import { expiredFailure } from "./expired.ts";
import { acceptHeader } from "./objects.ts";
import { collectionPath, withQuery } from "./paths.ts";
import { selectorQuery, type SelectorOptions } from "./selectors.ts";
import { eventIn, type WatchEvent } from "./watch-event.ts";

/** Options of `watch`. */
export interface WatchOptions extends SelectorOptions, CallOptions {
  /** The namespace. Default: all namespaces. */
  readonly namespace?: string | undefined;
  /** The resource version to start after: that of a list or of the last event. Default: an event for each object, then changes. */
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: "NotOlderThan" | undefined;
  /** Starts with an event for each object and marks their end with a bookmark. Defaults `resourceVersionMatch` to `NotOlderThan`. */
  readonly sendInitialEvents?: boolean | undefined;
  /** Lets the server send its current resource version from time to time although nothing changed. Default true. */
  readonly allowWatchBookmarks?: boolean | undefined;
  /** The time after which the server ends the watch. Default of the server: 30 to 60 minutes. */
  readonly timeoutSeconds?: number | undefined;
  /**
   * If no byte arrives for this long, bookmarks included, the connection is considered dead and the watch throws a `NetworkError`.
   * Default: no limit; TCP keepalive finds a dead connection after about ten minutes.
   */
  readonly idleMs?: number | undefined;
  /** The maximum length of an event. Default 64 MiB, more than any object. */
  readonly lineBytesMax?: number | undefined;
}

/** An unparsed watch: the headers of the response and its lines, each an event in JSON. */
export interface WatchLines {
  readonly headers: Response["headers"];
  readonly lines: AsyncIterableIterator<Buffer>;
}

/**
 * Watches objects of a kind. Resolves when the server has accepted the watch, and yields events until the server ends it.
 *
 * An `ERROR` event is thrown; one with code 410 as an `ExpiredError`.
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

/** Watches objects of a kind without parsing the lines. */
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
      // Sent even if it is false: unset and false differ for the server.
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
