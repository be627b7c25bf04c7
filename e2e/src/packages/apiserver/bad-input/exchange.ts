// Sends bytes as they are and tells what came back, whatever that is: an answer, a closed connection, or nothing.

import { connect as connectTcp, type Socket } from "node:net";
import { connect as connectTls, createSecureContext, type SecureContext } from "node:tls";

/** Where a server is and how to be known to it. PEM texts. */
export interface Access {
  readonly server: string;
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** What to send. */
export interface Sent {
  /** Pieces that are sent one after another, with a pause between them. */
  readonly pieces: readonly (string | Uint8Array)[];
  /** `tcp` is before any TLS. Default HTTP/1.1 over TLS. */
  readonly over?: "tcp" | "http/1.1" | "h2" | undefined;
  /** Whether the client says that it sends no more. */
  readonly ends?: boolean | undefined;
  /** Whether the client goes at once, without waiting for anything. */
  readonly isHasty?: boolean | undefined;
}

/** What came of it. */
export interface Outcome {
  /** How it ended: the server closed the connection, or answered and left it open, or time was up. */
  readonly end: "closed" | "answered" | "waits";
  /** What was received, as it came. */
  readonly bytes: Buffer;
  readonly ms: number;
  /** The time of the processor that this process used meanwhile, for whatever reason. */
  readonly cpuMs: number;
}

const sessions = new Map<string, Buffer>();
/** Keys and certificates, read once: for every connection anew would take half of the time. */
const contexts = new Map<string, SecureContext>();

function contextOf({ server, ca, cert, key }: Access): SecureContext {
  const context = contexts.get(server) ?? createSecureContext({ ca, cert, key });
  contexts.set(server, context);
  return context;
}

const pauseMs = 30;

/** Sends and reads until the server closes, has answered, or `waitMs` are over. */
export function exchange(access: Access, sent: Sent, waitMs: number): Promise<Outcome> {
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
      if (over === "http/1.1" && isWhole(Buffer.concat(received))) finish("answered");
    });
    socket.on("error", () => undefined);
    socket.on("close", () => finish("closed"));
  });
}

async function sendAll(socket: Socket, { pieces, ends = false, isHasty = false }: Sent): Promise<void> {
  for (const [index, piece] of pieces.entries()) {
    if (index > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    if (socket.destroyed) return;
    socket.write(piece);
  }
  if (isHasty) socket.destroy();
  else if (ends) socket.end();
}

/** Whether an answer of HTTP/1.1 is all there. What comes after it is none of our business. */
function isWhole(bytes: Buffer): boolean {
  const end = bytes.indexOf("\r\n\r\n");
  if (end < 0) return false;
  const head = bytes.toString("latin1", 0, end);
  if (head.startsWith("HTTP/1.1 100")) return isWhole(bytes.subarray(end + 4));
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length !== undefined) return bytes.length >= end + 4 + Number(length);
  return /\r\ntransfer-encoding: *chunked/i.test(head) && bytes.subarray(end).includes("\r\n0\r\n\r\n");
}

/** An answer in one line: its status and, of a refusal, what it says. */
export function shown({ end, bytes }: Outcome): string {
  const text = bytes.toString("utf8");
  const { status, body } = readAnswer(text);
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

/** The status and the body of an answer of HTTP/1.1; 0 when it is none. */
export function readAnswer(text: string): { status: number; body: string } {
  const end = text.indexOf("\r\n\r\n");
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(text)?.[1] ?? 0);
  if (status === 100) return readAnswer(text.slice(end + 4));
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
