// Adapters that give HTTP/1.1 and HTTP/2 requests the same interface.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import type { IncomingRequest } from "./exchange.ts";
import { http2Module } from "./node-http2.ts";
import { type Peer, readPeer } from "./peer.ts";
import { type RawResponse, unknownEncoding, unknownVersion } from "./raw-response.ts";
import { ChunkWriter } from "./chunk-writer.ts";
import type { ResponseWriter } from "./write-response.ts";

/** A request and the means to respond to it. */
export interface Wire {
  readonly incoming: IncomingRequest;
  readonly out: ResponseWriter;
  /**
   * Discards the unread part of the body, so that it is not parsed as the next request. Reports whether the connection
   * must be closed because of it.
   */
  settleBody(): { readonly isLast: boolean };
  /** Must be called when the response was written. */
  close(): void;
}

/** Requests with more headers are refused. */
export const headerCountMax = 1000;
/** An unread body up to this length is read and discarded to keep the connection. Go's server has the same limit. */
const unreadBytesMax = 256 * 1024;

const peers = new WeakMap<object, Peer>();
/** Connections on which invalid bytes followed a request. */
const isFollowedByGarbage = new WeakSet<object>();

/** Returns the client of a connection. The certificate is parsed once per connection. */
function peerOf(connection: object | undefined, socket: unknown): Peer {
  if (connection === undefined) return { address: "" };
  const existing = peers.get(connection);
  if (existing !== undefined) return existing;
  const peer = readPeer(socket);
  peers.set(connection, peer);
  return peer;
}

/** Adapts an HTTP/1.1 request. */
export function wireHttp1(request: IncomingMessage, response: ServerResponse): Wire {
  const { socket, headers } = request;
  const problem = problemOf(request);
  const chunks = new ChunkWriter(response);
  return {
    incoming: {
      method: request.method ?? "",
      target: request.url ?? "",
      headers,
      // HTTP/1.0 clients may omit the header. That does not permit DNS rebinding, because browsers always send it.
      host: headers.host === undefined || headers.host === "" ? "localhost" : headers.host,
      peer: peerOf(socket, socket),
      input: request,
      cut: () => socket.destroy(),
      ...(problem === undefined ? {} : { problem }),
    },
    out: {
      isClosed: () => response.destroyed || socket.destroyed,
      begin(status, fields) {
        response.statusCode = status;
        // Go's server does not send `Connection: keep-alive`, which is the default in HTTP/1.1.
        if (response.shouldKeepAlive) response.removeHeader("Connection");
        else response.setHeader("Connection", "close");
        for (const [name, value] of fields) response.setHeader(name, value);
      },
      flush: () => response.flushHeaders(),
      write: (chunk) => chunks.write(chunk),
      end: (body) => void (body === undefined ? response.end() : response.end(body)),
      on: (event, run) => void (event === "drain" ? chunks.on(run) : response.on(event, run)),
      off: (event, run) => void (event === "drain" ? chunks.off(run) : response.off(event, run)),
    },
    settleBody() {
      if (request.complete) return { isLast: isFollowedByGarbage.has(socket) };
      const length = Number(headers["content-length"] ?? Infinity);
      if (!(length <= unreadBytesMax)) return { isLast: true };
      request.resume();
      return { isLast: false };
    },
    close: () => undefined,
  };
}

/**
 * Records that a connection received invalid bytes. Reports whether a complete request is still being handled, whose
 * response must be sent before the connection is closed.
 */
export function markBroken(socket: object, running: IncomingMessage | undefined): boolean {
  isFollowedByGarbage.add(socket);
  return running?.complete === true;
}

/**
 * Returns the response of Go's server to a request that Node's parser accepts and Go's does not; undefined if both
 * accept it.
 */
function problemOf({
  rawHeaders,
  headers,
  httpVersionMajor: major,
  httpVersionMinor: minor,
}: IncomingMessage): RawResponse | undefined {
  // Node reports version 0.9 for a request line without a version.
  if (major === 0) return { status: "400 Bad Request" };
  if (major !== 1) return unknownVersion;
  if (rawHeaders.length >= headerCountMax * 2) return { status: "431 Request Header Fields Too Large" };
  const hosts = countOf(rawHeaders, "host");
  if (hosts > 1) return { status: "400 Bad Request" };
  if (hosts === 0 && minor > 0)
    return { status: "400 Bad Request", body: "400 Bad Request: missing required Host header" };
  const encoding = headers["transfer-encoding"];
  return encoding === undefined || encoding.toLowerCase() === "chunked" ? undefined : unknownEncoding;
}

function countOf(rawHeaders: readonly string[], name: string): number {
  return rawHeaders.filter(
    (text, index) => index % 2 === 0 && text.length === name.length && text.toLowerCase() === name,
  ).length;
}

/** Adapts an HTTP/2 request. */
export function wireHttp2(request: Http2ServerRequest, response: Http2ServerResponse): Wire {
  const { stream } = request;
  return {
    incoming: {
      method: request.method,
      target: request.url,
      headers: request.headers,
      host: request.authority === "" ? request.headers.host : request.authority,
      peer: peerOf(stream.session, stream.session?.socket),
      input: request,
      cut: () => stream.close(http2Module().constants.NGHTTP2_INTERNAL_ERROR),
    },
    out: {
      isClosed: () => stream.destroyed || stream.closed,
      begin(status, fields) {
        response.statusCode = status;
        for (const [name, value] of fields) if (name !== "Connection") response.setHeader(name, value);
      },
      flush: () => void response.writeHead(response.statusCode),
      write: (chunk) => response.write(chunk),
      end: (body) => void (body === undefined ? response.end() : response.end(body)),
      on: (event, run) => void response.on(event, run),
      off: (event, run) => void response.off(event, run),
    },
    settleBody() {
      if (!stream.endAfterHeaders && !stream.readableEnded) request.resume();
      return { isLast: false };
    },
    close() {
      // Tells the client, after the response, to stop sending a body that is not read (RFC 9113, section 8.1).
      if (stream.endAfterHeaders || stream.readableEnded) return;
      const stop = (): void => stream.close(http2Module().constants.NGHTTP2_NO_ERROR);
      if (response.writableFinished) stop();
      else response.once("finish", stop);
    },
  };
}
