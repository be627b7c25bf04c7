// Answers to bytes that Node's parser does not take for a request, in the words of Go's server.

import type { Duplex } from "node:stream";
import { isRecord } from "@homeostat/core";
import { methodUnknownStatus } from "../status/refusals.ts";
import { plainText } from "./handler.ts";
import { statusAnswer } from "./status-answer.ts";

/** An answer that is written without any of Node's help. */
export interface RawAnswer {
  /** Code and words: `400 Bad Request`. */
  readonly status: string;
  readonly type?: string;
  /** Default: the status again. */
  readonly body?: string;
}

/** What Go says of an encoding of bodies that it does not know. */
export const unknownEncoding: RawAnswer = { status: "501 Not Implemented", body: "Unsupported transfer encoding" };

/** What Go says of a version of HTTP that it does not speak. */
export const unknownVersion: RawAnswer = {
  status: "505 HTTP Version Not Supported",
  body: "505 HTTP Version Not Supported: unsupported protocol version",
};

/** What is said where nothing is to be found, before anybody looks at who asks. */
export const nothingThere: RawAnswer = { status: "404 Not Found", body: "404 page not found\n" };

const bad: RawAnswer = { status: "400 Bad Request" };
const answers: ReadonlyMap<string, RawAnswer> = new Map([
  ["HPE_HEADER_OVERFLOW", { status: "431 Request Header Fields Too Large" }],
  ["HPE_CHUNK_EXTENSIONS_OVERFLOW", { status: "413 Request Entity Too Large" }],
  ["ERR_HTTP_REQUEST_TIMEOUT", { status: "408 Request Timeout" }],
  ["HPE_INVALID_TRANSFER_ENCODING", unknownEncoding],
]);

/** A first line that is one to Go, whatever the method and the version are. */
const firstLine = /^[!#-'*+.^_`|~\w-]+ (?<target>\S+) HTTP\/(?<major>\d)\.\d\r?\n/;

/** What Go's server would answer to bytes that Node's parser failed at. */
function answerTo(code: string, reason: string, packet: Uint8Array | undefined): RawAnswer {
  // Two ways of saying how long a body is: refused here, where Go's server takes one of them.
  if (reason.includes("Content-Length")) return bad;
  const known = answers.get(code);
  if (known !== undefined || packet === undefined) return known ?? bad;
  const { target = "", major = "" } = firstLine.exec(Buffer.from(packet).toString("latin1", 0, 8192))?.groups ?? {};
  if (target === "") return bad;
  if (target === "*" && major === "2") return nothingThere;
  if (code === "HPE_INVALID_VERSION") return major === "1" ? bad : unknownVersion;
  if (code !== "HPE_INVALID_METHOD" || major !== "1") return bad;
  const { body } = statusAnswer(methodUnknownStatus());
  return { status: "405 Method Not Allowed", type: "application/json", body: String(body) };
}

/** Answers bytes that are no request of HTTP/1.1, and ends the connection. */
export function refuseBytes(error: Error, socket: Duplex): void {
  const code = isRecord(error) && typeof error["code"] === "string" ? error["code"] : "";
  const reason = isRecord(error) && typeof error["reason"] === "string" ? error["reason"] : "";
  const packet = isRecord(error) && error["rawPacket"] instanceof Uint8Array ? error["rawPacket"] : undefined;
  if (code === "ECONNRESET" || !socket.writable) socket.destroy();
  else endWith(socket, answerTo(code, reason, packet));
}

/** Writes an answer as the last thing on a connection. */
export function endWith(socket: Duplex, { status, type = plainText, body = status }: RawAnswer): void {
  const head = `HTTP/1.1 ${status}\r\nContent-Type: ${type}\r\nConnection: close\r\n\r\n`;
  // Destroyed once written: whoever sends garbage may also never close its side.
  socket.end(`${head}${body}`, () => socket.destroy());
}
