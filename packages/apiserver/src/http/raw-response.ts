// Responses to bytes that Node's parser rejects, with the texts of Go's server.

import type { Duplex } from "node:stream";
import { isRecord } from "@homeostat/core";
import { methodUnknownStatus } from "../status/refusals.ts";
import { plainText } from "./handler.ts";
import { statusResponse } from "./status-response.ts";

/** A response that is written to the socket directly, without Node's HTTP classes. */
export interface RawResponse {
  /** Status line: `400 Bad Request`. */
  readonly status: string;
  readonly type?: string;
  /** Default: the status line. */
  readonly body?: string;
}

/** Go's response to an unsupported transfer encoding. */
export const unknownEncoding: RawResponse = { status: "501 Not Implemented", body: "Unsupported transfer encoding" };

/** Go's response to an unsupported HTTP version. */
export const unknownVersion: RawResponse = {
  status: "505 HTTP Version Not Supported",
  body: "505 HTTP Version Not Supported: unsupported protocol version",
};

/** Response to an unknown target, sent before authentication. */
export const notFound: RawResponse = { status: "404 Not Found", body: "404 page not found\n" };

const bad: RawResponse = { status: "400 Bad Request" };
const responses: ReadonlyMap<string, RawResponse> = new Map([
  ["HPE_HEADER_OVERFLOW", { status: "431 Request Header Fields Too Large" }],
  ["HPE_CHUNK_EXTENSIONS_OVERFLOW", { status: "413 Request Entity Too Large" }],
  ["ERR_HTTP_REQUEST_TIMEOUT", { status: "408 Request Timeout" }],
  ["HPE_INVALID_TRANSFER_ENCODING", unknownEncoding],
]);

/** Request line that Go can parse, with any method and version. */
const firstLine = /^[!#-'*+.^_`|~\w-]+ (?<target>\S+) HTTP\/(?<major>\d)\.\d\r?\n/;

/** Returns the response of Go's server to bytes that Node's parser rejected. */
function responseTo(code: string, reason: string, packet: Uint8Array | undefined): RawResponse {
  // Both Content-Length and Transfer-Encoding: refused here, although Go accepts one of them, because it allows request
  // smuggling.
  if (reason.includes("Content-Length")) return bad;
  const known = responses.get(code);
  if (known !== undefined || packet === undefined) return known ?? bad;
  const { target = "", major = "" } = firstLine.exec(Buffer.from(packet).toString("latin1", 0, 8192))?.groups ?? {};
  if (target === "") return bad;
  if (target === "*" && major === "2") return notFound;
  if (code === "HPE_INVALID_VERSION") return major === "1" ? bad : unknownVersion;
  if (code !== "HPE_INVALID_METHOD" || major !== "1") return bad;
  const { body } = statusResponse(methodUnknownStatus());
  return { status: "405 Method Not Allowed", type: "application/json", body: String(body) };
}

/** Responds to bytes that are not an HTTP/1.1 request, and closes the connection. */
export function refuseBytes(error: Error, socket: Duplex): void {
  const code = isRecord(error) && typeof error["code"] === "string" ? error["code"] : "";
  const reason = isRecord(error) && typeof error["reason"] === "string" ? error["reason"] : "";
  const packet = isRecord(error) && error["rawPacket"] instanceof Uint8Array ? error["rawPacket"] : undefined;
  if (code === "ECONNRESET" || !socket.writable) socket.destroy();
  else endWith(socket, responseTo(code, reason, packet));
}

/** Writes a response and closes the connection. */
export function endWith(socket: Duplex, { status, type = plainText, body = status }: RawResponse): void {
  const head = `HTTP/1.1 ${status}\r\nContent-Type: ${type}\r\nConnection: close\r\n\r\n`;
  // Destroy the socket once written: a client that sends garbage may never close its side.
  socket.end(`${head}${body}`, () => socket.destroy());
}
