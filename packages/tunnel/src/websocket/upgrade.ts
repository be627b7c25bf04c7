// The upgrade of an HTTP/1.1 connection to a WebSocket (RFC 6455, section 4), at both ends.
import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { Duplex } from "node:stream";
import { ProtocolError } from "../errors.ts";
import type { RandomBytes } from "./websocket.ts";

const acceptText = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const headBytesMax = 16 * 1024;

/** Returns the value of `Sec-WebSocket-Accept` for a key. */
export function acceptOf(key: string): string {
  return createHash("sha1")
    .update(key + acceptText)
    .digest("base64");
}

/** Options of {@link upgradeClient}. */
export interface UpgradeClientOptions {
  readonly connection: Duplex;
  readonly host: string;
  readonly path: string;
  /** The sub-protocol that the server must select. */
  readonly protocol: string;
  /** Further headers, such as `Authorization`. Each value of a list is a header of its own. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly randomBytes: RandomBytes;
  readonly signal: AbortSignal;
}

/** Upgrades a connection. Resolves with the bytes that followed the response. Rejects with a {@link ProtocolError} if the server does not switch. */
export async function upgradeClient(options: UpgradeClientOptions): Promise<Buffer> {
  const { connection, host, path, protocol, headers = {}, randomBytes, signal } = options;
  const key = randomBytes(16).toString("base64");
  const lines = [
    `GET ${path} HTTP/1.1`,
    `Host: ${host}`,
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    `Sec-WebSocket-Key: ${key}`,
    `Sec-WebSocket-Protocol: ${protocol}`,
    ...Object.entries(headers).flatMap(([name, values]) =>
      (typeof values === "string" ? [values] : values).map((value) => `${name}: ${value}`),
    ),
  ];
  if (lines.some((line) => /[\r\n\0]/.test(line))) throw new TypeError("A header contains a line break.");
  connection.write(`${lines.join("\r\n")}\r\n\r\n`);
  const { text, rest } = await readHead(connection, signal);
  const [status = "", ...fields] = text.split("\r\n");
  const received = new Map(
    fields.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  if (!/^HTTP\/1\.1 101(?: |$)/.test(status))
    throw new ProtocolError(`the server did not switch to a WebSocket: ${status.slice(0, 80)}`);
  if (received.get("sec-websocket-accept") !== acceptOf(key))
    throw new ProtocolError("the server sent a wrong Sec-WebSocket-Accept");
  if (received.get("sec-websocket-protocol") !== protocol)
    throw new ProtocolError(`the server did not select the sub-protocol ${protocol}`);
  return rest;
}

/** Reads a response head. The connection is paused and without listeners afterwards. */
export async function readHead(
  connection: Duplex,
  signal: AbortSignal,
): Promise<{ readonly text: string; readonly rest: Buffer }> {
  let collected: Buffer = Buffer.alloc(0);
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      connection.off("data", data).off("error", failed).off("close", closed).off("end", closed);
      signal.removeEventListener("abort", aborted);
      connection.pause();
    };
    const failed = (error: unknown): void => {
      stop();
      reject(error instanceof Error ? error : new ProtocolError("the connection failed during the upgrade"));
    };
    const closed = (): void => failed(new ProtocolError("the connection ended before the response"));
    const aborted = (): void => failed(signal.reason);
    const data = (chunk: Buffer): void => {
      collected = Buffer.concat([collected, chunk]);
      const end = collected.indexOf("\r\n\r\n");
      if (end === -1 && collected.length <= headBytesMax) return;
      if (end === -1 || end > headBytesMax) return failed(new ProtocolError("the response head is too long"));
      stop();
      resolve({ text: collected.subarray(0, end).toString("latin1"), rest: collected.subarray(end + 4) });
    };
    connection.on("data", data).on("error", failed).on("close", closed).on("end", closed);
    signal.addEventListener("abort", aborted, { once: true });
    if (signal.aborted) aborted();
  });
}

/** A refusal of an upgrade. */
export interface UpgradeRefusal {
  readonly status: number;
  readonly message: string;
}

/** Checks a request to upgrade at the server. Returns the response head, or the refusal. */
export function checkUpgrade(
  { method, path, headers }: { readonly method: string; readonly path: string; readonly headers: IncomingHttpHeaders },
  expected: { readonly path: string; readonly protocol: string },
): { readonly response: string } | UpgradeRefusal {
  if (path !== expected.path) return { status: 404, message: `The tunnel is at ${expected.path}.` };
  if (method !== "GET") return { status: 405, message: "Use GET." };
  if (headers.upgrade?.toLowerCase() !== "websocket")
    return { status: 426, message: "Upgrade to websocket, or use a client of this system." };
  if (headers["sec-websocket-version"] !== "13") return { status: 426, message: "The WebSocket version must be 13." };
  const key = headers["sec-websocket-key"] ?? "";
  if (Buffer.from(key, "base64").length !== 16 || !/^[A-Za-z0-9+/]{22}==$/.test(key))
    return { status: 400, message: "The Sec-WebSocket-Key is not valid." };
  if (!selects(headers["sec-websocket-protocol"], expected.protocol))
    return { status: 400, message: `The sub-protocol must be ${expected.protocol}.` };
  const lines = [
    "HTTP/1.1 101 Switching Protocols",
    "Connection: Upgrade",
    "Upgrade: websocket",
    `Sec-WebSocket-Accept: ${acceptOf(key)}`,
    `Sec-WebSocket-Protocol: ${expected.protocol}`,
  ];
  return { response: `${lines.join("\r\n")}\r\n\r\n` };
}

/** Reports whether a list of sub-protocols contains one. */
export function selects(list: string | string[] | undefined, protocol: string): boolean {
  return String(list ?? "")
    .split(",")
    .some((each) => each.trim() === protocol);
}
