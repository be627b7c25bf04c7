// Sends raw bytes and returns the outcome: a response, a closed connection, or a timeout.

import { connect as connectTcp, type Socket } from "node:net";
import { connect as connectTls, createSecureContext, type SecureContext } from "node:tls";

/** URL and client credentials of a server, as PEM. */
export interface Access {
  readonly server: string;
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** A raw request. */
export interface RawRequest {
  /** Pieces that are sent in sequence with pauses. */
  readonly pieces: readonly (string | Uint8Array)[];
  /** `tcp` sends the bytes without TLS. Default: HTTP/1.1 over TLS. */
  readonly over?: "tcp" | "http/1.1" | "h2" | undefined;
  /** True if the client closes its sending side after the last piece. */
  readonly ends?: boolean | undefined;
  /** True if the client disconnects without waiting for a response. */
  readonly disconnects?: boolean | undefined;
}

/** The outcome of a raw request. */
export interface Outcome {
  /** The end of the exchange: the server closed the connection, or responded and left it open, or the time was up. */
  readonly end: "closed" | "responded" | "waits";
  /** Received bytes. */
  readonly bytes: Buffer;
  readonly ms: number;
  /** CPU time of this process in the meantime, for any reason. */
  readonly cpuMs: number;
}

const sessions = new Map<string, Buffer>();
/** Parsed keys and certificates by server: parsing them for every connection would take half of the time. */
const contexts = new Map<string, SecureContext>();

function contextOf({ server, ca, cert, key }: Access): SecureContext {
  const context = contexts.get(server) ?? createSecureContext({ ca, cert, key });
  contexts.set(server, context);
  return context;
}

const pauseMs = 30;

/** Sends a request and reads until the server closes the connection, has responded, or `waitMs` have passed. */
export function exchange(access: Access, sent: RawRequest, waitMs: number): Promise<Outcome> {
  const { server } = access;
  const { hostname: host, port: portText } = new URL(server);
  const port = Number(portText);
  const { over = "http/1.1" } = sent;
  return new Promise((resolve) => {
    const received: Buffer[] = [];
    let started = performance.now();
    let usedBefore = process.cpuUsage();
    const finish = (end: Outcome["end"]): void => {
      clearTimeout(late);
      socket.destroy();
      const { user, system } = process.cpuUsage(usedBefore);
      const ms = performance.now() - started;
      resolve({ end, bytes: Buffer.concat(received), ms, cpuMs: (user + system) / 1000 });
    };
    const begin = (): void => {
      started = performance.now();
      usedBefore = process.cpuUsage();
      void sendAll(socket, sent);
    };
    const session = sessions.get(server);
    const socket: Socket =
      over === "tcp"
        ? connectTcp({ host, port }, begin)
        : connectTls(
            {
              host,
              port,
              secureContext: contextOf(access),
              ALPNProtocols: [over],
              ...(session === undefined ? {} : { session }),
            },
            begin,
          ).on("session", (made: Buffer) => sessions.set(server, made));
    const late = setTimeout(() => finish("waits"), waitMs);
    socket.on("data", (piece: Buffer) => {
      received.push(piece);
      if (over === "http/1.1" && isWhole(Buffer.concat(received))) finish("responded");
    });
    socket.on("error", () => undefined);
    socket.on("close", () => finish("closed"));
  });
}

async function sendAll(socket: Socket, { pieces, ends = false, disconnects = false }: RawRequest): Promise<void> {
  for (const [index, piece] of pieces.entries()) {
    if (index > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    if (socket.destroyed) return;
    socket.write(piece);
  }
  if (disconnects) socket.destroy();
  else if (ends) socket.end();
}

/** Reports whether an HTTP/1.1 response is complete. Data after it is ignored. */
function isWhole(bytes: Buffer): boolean {
  const end = bytes.indexOf("\r\n\r\n");
  if (end < 0) return false;
  const head = bytes.toString("latin1", 0, end);
  if (head.startsWith("HTTP/1.1 100")) return isWhole(bytes.subarray(end + 4));
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length !== undefined) return bytes.length >= end + 4 + Number(length);
  return /\r\ntransfer-encoding: *chunked/i.test(head) && bytes.subarray(end).includes("\r\n0\r\n\r\n");
}

/** Returns a response as one line: its status and the message of an error. */
export function shown({ end, bytes }: Outcome): string {
  const text = bytes.toString("utf8");
  const { status, body } = parseResponse(text);
  if (status === 0) return end === "waits" ? "waits" : "closed";
  return `${status} ${message(body)}`.trim();
}

function message(body: string): string {
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value !== "object" || value === null || !("kind" in value)) return "";
    if (value.kind !== "Status") return `a ${String(value.kind)}`;
    const { reason = "", message: said = "" } = value as { reason?: string; message?: string };
    return `${reason}: ${said}`;
  } catch {
    return body.trim();
  }
}

/** Returns status and body of an HTTP/1.1 response; status 0 if it is none. */
export function parseResponse(text: string): { status: number; body: string } {
  const end = text.indexOf("\r\n\r\n");
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(text)?.[1] ?? 0);
  if (status === 100) return parseResponse(text.slice(end + 4));
  const body = text.slice(end + 4);
  const isChunked = /\r\ntransfer-encoding: *chunked/i.test(text.slice(0, end));
  return { status, body: isChunked ? joinChunks(body) : body };
}

function joinChunks(text: string): string {
  const bytes = Buffer.from(text);
  const parts: Buffer[] = [];
  for (let at = 0; ;) {
    const end = bytes.indexOf("\r\n", at);
    const length = Number.parseInt(bytes.toString("latin1", at, end), 16);
    if (end === -1 || !(length > 0)) return Buffer.concat(parts).toString();
    parts.push(bytes.subarray(end + 2, end + 2 + length));
    at = end + 4 + length;
  }
}
