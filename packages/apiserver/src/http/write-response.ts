import { promisify } from "node:util";
import { constants, gzip } from "node:zlib";
import { systemClock } from "@homeostat/core";
import { Warnings } from "../status/warnings.ts";
import type { DateHeader } from "./date-header.ts";
import { Pace } from "./pace.ts";
import {
  type HandlerResponse,
  headerOf,
  type RequestHeaders,
  type StreamResponse,
  type BufferedResponse,
} from "./handler.ts";

const compress = promisify(gzip);
const compressedBytesMin = 128 * 1024;

/** The response side of a connection or stream. */
export interface ResponseWriter {
  /** Reports whether the client has disconnected. */
  isClosed(): boolean;
  begin(status: number, headers: ReadonlyMap<string, string | string[]>): void;
  /** Sends the headers before the first part of the body. */
  flush(): void;
  /** Sends a chunk. Returns false if the caller must wait for `drain` before the next one. */
  write(chunk: Uint8Array | string): boolean;
  end(body?: Uint8Array | string): void;
  on(event: "drain" | "close" | "finish" | "error", listener: () => void): void;
  off(event: "drain" | "close" | "finish" | "error", listener: () => void): void;
}

/** Data for the headers of a response, and properties of its request. */
export interface ResponseContext {
  readonly auditId: string;
  readonly date: DateHeader;
  readonly requestHeaders: RequestHeaders;
  readonly isHead: boolean;
  /** True if the connection is closed after this response. */
  readonly isLast: boolean;
  /** True to omit the headers that every other response has. */
  readonly isBare: boolean;
  /** Aborts when the client has disconnected or the server stops. */
  readonly signal: AbortSignal;
}

/** Writes a response. Resolves when all of it was passed to the socket. Rejects if a stream fails. */
export async function writeResponse(
  out: ResponseWriter,
  response: HandlerResponse,
  context: ResponseContext,
): Promise<void> {
  if ("stream" in response) await writeStream(out, response, context);
  else await writeWhole(out, response, context);
}

async function writeWhole(out: ResponseWriter, response: BufferedResponse, context: ResponseContext): Promise<void> {
  let body = typeof response.body === "string" ? Buffer.from(response.body) : response.body;
  const isCompressed = body.length > compressedBytesMin && acceptsGzip(context.requestHeaders) && !isEncoded(response);
  if (isCompressed) body = await compress(body, { level: constants.Z_BEST_SPEED });
  if (out.isClosed()) return;
  const headers = headersOf(response, context);
  if (isCompressed) headers.set("Content-Encoding", "gzip").set("Vary", "Accept-Encoding");
  if (response.status !== 304 && response.status !== 204) headers.set("Content-Length", String(body.length));
  out.begin(response.status, headers);
  if (context.isHead || body.length === 0) out.end();
  else out.end(body);
}

async function writeStream(out: ResponseWriter, response: StreamResponse, context: ResponseContext): Promise<void> {
  out.begin(response.status, headersOf(response, context));
  out.flush();
  if (context.isHead) {
    out.end();
    return;
  }
  const iterator = response.stream[Symbol.asyncIterator]();
  const wait = new AbortableWait(context.signal);
  try {
    // Check before each call: after the abort, `next()` may wait for an event that never comes.
    while (!context.signal.aborted) {
      const next = await wait.until(iterator.next());
      if (next === undefined || next.done === true || out.isClosed()) break;
      const { value } = next;
      const hasRoom = pace.spend(() => out.write(value));
      await wait.until(hasRoom ? pace.next() : drained(out));
    }
  } finally {
    wait.close();
    // Not awaited: the iterator may first have to finish a pending wait, and its result is not needed.
    iterator.return?.().catch(() => undefined);
  }
  if (!out.isClosed()) out.end();
}

/**
 * Shared by all streams of the process, because they share its CPU time. Uses real time even in tests with a virtual
 * clock, because sockets do.
 */
const pace = new Pace(systemClock);

/**
 * Waits for one promise at a time until a signal aborts. `Promise.race` with the signal would leak: it keeps a reaction
 * on the abort promise for every chunk until the stream ends.
 */
class AbortableWait {
  readonly #signal: AbortSignal;
  #onAbort: () => void = () => undefined;
  readonly #abort = (): void => this.#onAbort();

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener("abort", this.#abort, { once: true });
  }

  /** Returns the value of the promise; undefined if the signal aborts first. */
  until<T>(promise: Promise<T>): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      this.#onAbort = () => resolve(undefined);
      if (this.#signal.aborted) resolve(undefined);
      promise.then(resolve, reject);
    });
  }

  close(): void {
    this.#signal.removeEventListener("abort", this.#abort);
  }
}

function headersOf(
  { headers = {}, warnings = [] }: HandlerResponse,
  context: ResponseContext,
): Map<string, string | string[]> {
  const all = new Map<string, string | string[]>([["Date", context.date.text()]]);
  if (!context.isBare) all.set("Audit-Id", context.auditId).set("Cache-Control", "no-cache, private");
  for (const [name, value] of Object.entries(headers)) all.set(name, asHeader(value));
  const recorded = new Warnings();
  recorded.addAll(warnings);
  const lines = recorded.headers();
  if (lines.length > 0) all.set("Warning", asHeader(lines));
  if (context.isLast) all.set("Connection", "close");
  return all;
}

/** Encodes a header value. Header values are bytes: Go sends non-ASCII characters as UTF-8. */
function asHeader(value: string | readonly string[]): string | string[] {
  return typeof value === "string" ? utf8Header(value) : value.map(utf8Header);
}

function utf8Header(text: string): string {
  const safe = text.replace(/\p{Cc}/gu, " ");
  return /\P{ASCII}/u.test(safe) ? Buffer.from(safe, "utf8").toString("latin1") : safe;
}

function isEncoded({ headers = {} }: BufferedResponse): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === "content-encoding");
}

/**
 * Reports whether the client accepts gzip. Like kube-apiserver, only accepts the bare word, without a quality value.
 */
function acceptsGzip(headers: RequestHeaders): boolean {
  return (headerOf(headers, "accept-encoding") ?? "").split(",").some((token) => token.trim() === "gzip");
}

function drained(out: ResponseWriter): Promise<undefined> {
  return new Promise((resolve) => {
    const done = (): void => {
      out.off("drain", done);
      out.off("close", done);
      resolve(undefined);
    };
    out.on("drain", done);
    out.on("close", done);
  });
}
