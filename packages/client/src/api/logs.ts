import { mapped } from "../async/mapped.ts";
import type { Body, Request } from "../transport/transport.ts";
import { call, type Caller, type CallOptions, subjectOf } from "./call.ts";
import { pods } from "./evict.ts";
import { linesOf } from "./lines.ts";
import { objectPath, type ObjectName, withQuery } from "./paths.ts";

/** Options for reading a container's log. */
export interface LogOptions extends CallOptions {
  /** The name of the container. Required if the pod has several. */
  readonly container?: string | undefined;
  /** Waits for new lines until the container terminates. */
  readonly follow?: boolean | undefined;
  /** Reads the log of the previous, terminated instance of the container. */
  readonly previous?: boolean | undefined;
  /** Reads only the last lines. */
  readonly tailLines?: number | undefined;
  /** Reads only lines that are at most this old. */
  readonly sinceSeconds?: number | undefined;
  /** Reads only lines written since an RFC 3339 time such as `2026-01-01T00:00:00Z`. */
  readonly sinceTime?: string | undefined;
  /** Prefixes each line with its time. */
  readonly timestamps?: boolean | undefined;
  /** The maximum number of bytes that the server returns. */
  readonly limitBytes?: number | undefined;
}

/** Options for reading a log line by line. */
export interface LogLinesOptions extends LogOptions {
  /** The maximum length of a line; a longer one throws a `TooLongError`. Default 1 MiB. */
  readonly lineBytesMax?: number | undefined;
}

const lineBytesMax = 1024 * 1024;

/** Reads the log of a container as bytes. */
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

/** Reads the log of a container line by line. */
export async function logLines(
  caller: Caller,
  pod: ObjectName,
  options: LogLinesOptions = {},
): Promise<AsyncIterableIterator<string>> {
  const body = await logBytes(caller, pod, options);
  const lines = linesOf(body, { bytesMax: options.lineBytesMax ?? lineBytesMax, keepsEmpty: true });
  return mapped(lines, (line) => line.toString("utf8"));
}
