import type { Readable, Writable } from "node:stream";
import type { ClientShare } from "../limits/client-share.ts";
import type { IncomingRequest } from "../router/route-plan.ts";

export type Fields = readonly (readonly [name: string, value: string])[];

/** Head of a response, or of an informational one. */
export interface SafeHead {
  readonly status: number;
  /** Fields with lower-case names, without pseudo-header fields. */
  readonly fields: Fields;
}

/** A request of a client and its response, the same for both protocols. */
export interface Exchange {
  readonly request: IncomingRequest;
  /** Fields with lower-case names, without pseudo-header fields. */
  readonly fields: Fields;
  readonly hasBody: boolean;
  readonly body: Readable;
  /** `:protocol` of an extended CONNECT. */
  readonly connectProtocol: string | undefined;
  /** Waiting requests of the connection, if it may send several at a time. */
  readonly share: ClientShare | undefined;
  /** Aborts when the client leaves or resets the request. */
  readonly gone: AbortSignal;
  /** Returns the trailers of the request, once its body has ended. */
  trailers(): Fields;
  inform(head: SafeHead): void;
  /** Sends the head of the response. Without `isEnd`, the body is written to the result. */
  respond(head: SafeHead, options: { readonly isEnd: boolean }): Writable | undefined;
  /** Sets the trailers that follow the body. Call it before the body ends. */
  setTrailers(fields: Fields): void;
  /** Ends the response abnormally: the client notices that it is incomplete. */
  reset(): void;
}

/** Connection headers of HTTP/1.1: HTTP/2 forbids them, and each hop has its own. */
export const connectionFields: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "transfer-encoding",
  "upgrade",
]);

/** Returns the pairs of a flat list such as `rawHeaders`, with names in lower case. */
export function pairsOf(raw: readonly string[]): [string, string][] {
  const pairs: [string, string][] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) pairs.push([(raw[at] ?? "").toLowerCase(), raw[at + 1] ?? ""]);
  return pairs;
}

/** Returns fields as an object, as Node's modules expect them; repeated names have a list. */
export function headersOf(fields: Fields): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = Object.create(null);
  for (const [name, value] of fields) {
    const before = headers[name];
    if (before === undefined) headers[name] = value;
    else if (typeof before === "string") headers[name] = [before, value];
    else before.push(value);
  }
  return headers;
}
