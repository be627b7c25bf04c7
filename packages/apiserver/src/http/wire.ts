// The two protocols, made alike: what comes in and what goes out, over HTTP/1.1 and over HTTP/2.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import type { Arrival } from "./exchange.ts";
import { http2Module } from "./node-http2.ts";
import { type Peer, readPeer } from "./peer.ts";
import { type RawAnswer, unknownEncoding, unknownVersion } from "./raw-refusal.ts";
import { ChunkWriter } from "./chunk-writer.ts";
import type { Outgoing } from "./write-answer.ts";

/** One request with the means to answer it. */
export interface Wire {
  readonly arrival: Arrival;
  readonly out: Outgoing;
  /**
   * Makes sure that the rest of the body, if there is one, does no harm to the next request, and says whether the connection
   * has to end for that.
   */
  settleBody(): { readonly isLast: boolean };
  /** To be called when the answer was written. */
  close(): void;
}

/** More headers than this are refused. */
export const headerCountMax = 1000;
/** A body that nobody asked for is read up to this length, to keep the connection; Go's server does the same. */
const unreadBytesMax = 256 * 1024;

const peers = new WeakMap<object, Peer>();
/** Connections on which something came after a request that is no request. */
const isFollowedByGarbage = new WeakSet<object>();

/** Who is at the other end, read once for each connection. */
function peerOf(connection: object | undefined, socket: unknown): Peer {
  if (connection === undefined) return { address: "" };
  const known = peers.get(connection);
  if (known !== undefined) return known;
  const peer = readPeer(socket);
  peers.set(connection, peer);
  return peer;
}

/** A request of HTTP/1.1. */
export function wireHttp1(request: IncomingMessage, response: ServerResponse): Wire {
  const { socket, headers } = request;
  const problem = problemOf(request);
  const chunks = new ChunkWriter(response);
  return {
    arrival: {
      method: request.method ?? "",
      target: request.url ?? "",
      headers,
      // Nobody's name: older clients need not say it, and no page in a browser can leave it out.
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
        // Go's server does not say that it keeps a connection: in HTTP/1.1 that goes without saying.
        if (response.shouldKeepAlive) response.removeHeader("Connection");
        else response.setHeader("Connection", "close");
        for (const [name, value] of fields) response.setHeader(name, value);
      },
      flush: () => response.flushHeaders(),
      write: (piece) => chunks.write(piece),
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
 * Says that something came on a connection that is no request, and answers whether there is still a request to be answered
 * before the connection ends.
 */
export function breakOff(socket: object, running: IncomingMessage | undefined): boolean {
  isFollowedByGarbage.add(socket);
  return running?.complete === true;
}

/** Why Go's server would not take a request that Node's parser does. */
function problemOf({
  rawHeaders,
  headers,
  httpVersionMajor: major,
  httpVersionMinor: minor,
}: IncomingMessage): RawAnswer | undefined {
  // A line without any version is taken for one of the oldest.
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

/** A request of HTTP/2. */
export function wireHttp2(request: Http2ServerRequest, response: Http2ServerResponse): Wire {
  const { stream } = request;
  return {
    arrival: {
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
      write: (piece) => response.write(piece),
      end: (body) => void (body === undefined ? response.end() : response.end(body)),
      on: (event, run) => void response.on(event, run),
      off: (event, run) => void response.off(event, run),
    },
    settleBody() {
      if (!stream.endAfterHeaders && !stream.readableEnded) request.resume();
      return { isLast: false };
    },
    close() {
      // Tells the client to send no more of a body that nobody reads, once it has the answer.
      if (stream.endAfterHeaders || stream.readableEnded) return;
      const stop = (): void => stream.close(http2Module().constants.NGHTTP2_NO_ERROR);
      if (response.writableFinished) stop();
      else response.once("finish", stop);
    },
  };
}
