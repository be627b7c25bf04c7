import { promisify } from "node:util";
import { constants, gzip } from "node:zlib";
import { systemClock } from "@homeostat/core";
import { Warnings } from "../status/warnings.ts";
import type { DateHeader } from "./date-header.ts";
import { Pace } from "./pace.ts";
import { type Answer, headerOf, type RequestHeaders, type StreamAnswer, type WholeAnswer } from "./handler.ts";

const compress = promisify(gzip);
const compressedBytesMin = 128 * 1024;

/** The side of an exchange that is written to. */
export interface Outgoing {
  /** Whether nobody reads any more. */
  isClosed(): boolean;
  begin(status: number, headers: ReadonlyMap<string, string | string[]>): void;
  /** Sends the head before there is a body. */
  flush(): void;
  /** Sends a piece. False: wait for `drain` before the next. */
  write(piece: Uint8Array | string): boolean;
  end(body?: Uint8Array | string): void;
  on(event: "drain" | "close" | "finish" | "error", run: () => void): void;
  off(event: "drain" | "close" | "finish" | "error", run: () => void): void;
}

/** What every answer carries, and what is known about the request that it belongs to. */
export interface AnswerContext {
  readonly auditId: string;
  readonly date: DateHeader;
  readonly requestHeaders: RequestHeaders;
  readonly isHead: boolean;
  /** Whether the connection ends with this answer. */
  readonly isLast: boolean;
  /** Whether the headers that every answer carries are left out. */
  readonly isBare: boolean;
  /** Aborts when nobody reads any more. */
  readonly signal: AbortSignal;
}

/** Writes an answer and resolves when all of it was handed over. Rejects when a stream fails. */
export async function writeAnswer(out: Outgoing, answer: Answer, context: AnswerContext): Promise<void> {
  if ("stream" in answer) await writeStream(out, answer, context);
  else await writeWhole(out, answer, context);
}

async function writeWhole(out: Outgoing, answer: WholeAnswer, context: AnswerContext): Promise<void> {
  let body = typeof answer.body === "string" ? Buffer.from(answer.body) : answer.body;
  const isCompressed = body.length > compressedBytesMin && acceptsGzip(context.requestHeaders) && !isEncoded(answer);
  if (isCompressed) body = await compress(body, { level: constants.Z_BEST_SPEED });
  if (out.isClosed()) return;
  const headers = headOf(answer, context);
  if (isCompressed) headers.set("Content-Encoding", "gzip").set("Vary", "Accept-Encoding");
  if (answer.status !== 304 && answer.status !== 204) headers.set("Content-Length", String(body.length));
  out.begin(answer.status, headers);
  if (context.isHead || body.length === 0) out.end();
  else out.end(body);
}

async function writeStream(out: Outgoing, answer: StreamAnswer, context: AnswerContext): Promise<void> {
  out.begin(answer.status, headOf(answer, context));
  out.flush();
  if (context.isHead) {
    out.end();
    return;
  }
  const iterator = answer.stream[Symbol.asyncIterator]();
  const gate = new Gate(context.signal);
  try {
    // One that is asked for more after nobody wants it may wait for a sign that has been given already.
    while (!context.signal.aborted) {
      const next = await gate.pass(iterator.next());
      if (next === undefined || next.done === true || out.isClosed()) break;
      const { value } = next;
      const hasRoom = pace.spend(() => out.write(value));
      await gate.pass(hasRoom ? pace.next() : drained(out));
    }
  } finally {
    gate.close();
    // Not awaited: one that waits for something else ends when that comes, and nobody here is interested.
    iterator.return?.().catch(() => undefined);
  }
  if (!out.isClosed()) out.end();
}

/** Of all streams of the process, which share its time. Sockets know no other time than that of the machine. */
const pace = new Pace(systemClock);

/** Lets one promise at a time be awaited until a signal aborts. `Promise.race` would keep every one of them till then. */
class Gate {
  readonly #signal: AbortSignal;
  #leave: () => void = () => undefined;
  readonly #abort = (): void => this.#leave();

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener("abort", this.#abort, { once: true });
  }

  /** What the promise gives, or undefined when the signal aborts first. */
  pass<T>(promise: Promise<T>): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      this.#leave = () => resolve(undefined);
      if (this.#signal.aborted) resolve(undefined);
      promise.then(resolve, reject);
    });
  }

  close(): void {
    this.#signal.removeEventListener("abort", this.#abort);
  }
}

function headOf({ headers = {}, warnings = [] }: Answer, context: AnswerContext): Map<string, string | string[]> {
  const all = new Map<string, string | string[]>([["Date", context.date.text()]]);
  if (!context.isBare) all.set("Audit-Id", context.auditId).set("Cache-Control", "no-cache, private");
  for (const [name, value] of Object.entries(headers)) all.set(name, asHeader(value));
  const recorded = new Warnings();
  recorded.addAll(warnings);
  const told = recorded.headers();
  if (told.length > 0) all.set("Warning", asHeader(told));
  if (context.isLast) all.set("Connection", "close");
  return all;
}

/** Headers are bytes: what is not ASCII goes out as UTF-8, as Go sends it. */
function asHeader(value: string | readonly string[]): string | string[] {
  return typeof value === "string" ? utf8Header(value) : value.map(utf8Header);
}

function utf8Header(text: string): string {
  const safe = text.replace(/\p{Cc}/gu, " ");
  return /\P{ASCII}/u.test(safe) ? Buffer.from(safe, "utf8").toString("latin1") : safe;
}

function isEncoded({ headers = {} }: WholeAnswer): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === "content-encoding");
}

/** As the real server reads it: a word of its own, without a quality. */
function acceptsGzip(headers: RequestHeaders): boolean {
  return (headerOf(headers, "accept-encoding") ?? "").split(",").some((token) => token.trim() === "gzip");
}

function drained(out: Outgoing): Promise<undefined> {
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
