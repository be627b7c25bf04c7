import type { Duplex } from "node:stream";
import { isRecord } from "@homeostat/core";

const statuses: ReadonlyMap<string, string> = new Map([
  ["HPE_HEADER_OVERFLOW", "431 Request Header Fields Too Large"],
  ["HPE_CHUNK_EXTENSIONS_OVERFLOW", "413 Request Entity Too Large"],
  ["ERR_HTTP_REQUEST_TIMEOUT", "408 Request Timeout"],
]);

/** Answers bytes that are no request of HTTP/1.1, in the form of Go's server, and ends the connection. */
export function refuseBytes(error: Error, socket: Duplex): void {
  const code = isRecord(error) && typeof error["code"] === "string" ? error["code"] : "";
  if (code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = statuses.get(code) ?? "400 Bad Request";
  const head = `HTTP/1.1 ${status}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n`;
  // Destroyed once written: whoever sends garbage may also never close its side.
  socket.end(`${head}${status}`, () => socket.destroy());
}
