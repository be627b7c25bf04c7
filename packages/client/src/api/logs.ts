import { mapped } from "../internal/mapped.ts";
import type { Body, Request } from "../transport/transport.ts";
import { call, type Caller, type CallOptions, subjectOf } from "./call.ts";
import { pods } from "./evict.ts";
import { linesOf } from "./lines.ts";
import { objectPath, type ObjectName, withQuery } from "./paths.ts";

/** What of a container's log to read. */
export interface LogOptions extends CallOptions {
  /** Which container; needed when the pod has several. */
  readonly container?: string | undefined;
  /** Whether to wait for what is still to come. Ends when the container does. */
  readonly follow?: boolean | undefined;
  /** The log of the container's last life instead. */
  readonly previous?: boolean | undefined;
  /** Only the last so many lines. */
  readonly tailLines?: number | undefined;
  /** Only what is at most so many seconds old. */
  readonly sinceSeconds?: number | undefined;
  /** Only what was written since a time such as `2026-01-01T00:00:00Z`. */
  readonly sinceTime?: string | undefined;
  /** Whether each line begins with its time. */
  readonly timestamps?: boolean | undefined;
  /** The most bytes to read. */
  readonly limitBytes?: number | undefined;
}

/** How to read a log by lines. */
export interface LogLinesOptions extends LogOptions {
  /** The longest line; a longer one is a `TooLongError`. Default 1 MiB. */
  readonly lineBytesMax?: number | undefined;
}

const lineBytesMax = 1024 * 1024;

/** The log of a container as bytes. */
export async function logBytes(caller: Caller, pod: ObjectName, options: LogOptions = {}): Promise<Body> {
  const { container, follow, previous, tailLines, sinceSeconds, sinceTime, timestamps, limitBytes } = options;
  const isFollowing = follow === true;
  const request: Request = {
    method: "GET",
    path: withQuery(objectPath(pods, pod, "log"), {
      container,
      follow,
      previous,
      tailLines,
      sinceSeconds,
      sinceTime,
      timestamps,
      limitBytes,
    }),
    headers: { accept: "*/*" },
    about: subjectOf("get", pods, { ...pod, subresource: "log" }),
    isStream: isFollowing,
    timeouts: isFollowing ? { idleMs: Infinity, ...options.timeouts } : options.timeouts,
    signal: options.signal,
  };
  return (await call(caller, request)).body;
}

/** The log of a container line by line. */
export async function logLines(
  caller: Caller,
  pod: ObjectName,
  options: LogLinesOptions = {},
): Promise<AsyncIterableIterator<string>> {
  const body = await logBytes(caller, pod, options);
  const lines = linesOf(body, { bytesMax: options.lineBytesMax ?? lineBytesMax, keepsEmpty: true });
  return mapped(lines, (line) => line.toString("utf8"));
}
