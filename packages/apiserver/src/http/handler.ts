import type { Query } from "../request/query.ts";
import type { RequestInfo } from "../request/request-info.ts";
import type { Peer } from "./peer.ts";

/** Headers by their names in small letters. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** One request, after its head was read and before its body is. */
export interface ServerRequest {
  readonly method: string;
  /** Path and query as they were sent: for messages and logs. */
  readonly uri: string;
  readonly query: Query;
  readonly headers: RequestHeaders;
  /** What the request is about. */
  readonly info: RequestInfo;
  /** Names this request in logs; the answer carries it too. */
  readonly auditId: string;
  /** Who is at the other end of the connection, as far as TLS tells. */
  readonly peer: Peer;
  /** Whether answers are laid out for people. */
  readonly isPretty: boolean;
  /**
   * The body, whole. The same bytes however often it is asked for.
   *
   * Throws a `StatusError`: 413 for more than the server takes, 400 for one that ends early.
   */
  body(): Promise<Uint8Array>;
}

/** Headers of an answer: names as they are to be written, each with a value or several. */
export type AnswerHeaders = Readonly<Record<string, string | readonly string[]>>;

interface AnswerHead {
  readonly status: number;
  readonly headers?: AnswerHeaders;
  /** Each becomes a `Warning` header that clients show to their user. */
  readonly warnings?: readonly string[];
}

/** An answer with a body that is there. One of more than 128 KiB is sent compressed to a client that can read it so. */
export interface WholeAnswer extends AnswerHead {
  readonly body: Uint8Array | string;
}

/**
 * An answer that goes on, such as a watch. Each piece is sent at once, and the next is asked for when the client has room.
 *
 * When the client goes or the server stops, the signal of the request aborts and no more pieces are asked for.
 */
export interface StreamAnswer extends AnswerHead {
  readonly stream: AsyncIterable<Uint8Array | string>;
}

/** What a handler answers. */
export type Answer = WholeAnswer | StreamAnswer;

/**
 * Answers requests. The signal aborts when nobody waits for the answer any more: time is up, the client is gone, or the server
 * stops.
 *
 * A `StatusError` that is thrown becomes its answer; anything else becomes a 500, and is told to the observer.
 */
export type Handler = (request: ServerRequest, signal: AbortSignal) => Promise<Answer>;

/** An answer of plain text, with a line end after it as Go's `http.Error` writes it. */
export function textError(status: number, text: string): WholeAnswer {
  return { status, headers: { "Content-Type": plainText, "X-Content-Type-Options": "nosniff" }, body: `${text}\n` };
}

/** The type of plain texts. */
export const plainText = "text/plain; charset=utf-8";

/** The first value of a header. */
export function headerOf(headers: RequestHeaders, name: string): string | undefined {
  const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
  return typeof value === "string" ? value : value?.[0];
}
