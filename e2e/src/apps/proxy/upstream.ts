// A server that stands for a workload: HTTP/1.1, HTTP/2 without TLS, server-sent events and WebSockets on one port.

import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer as createHttp1, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createHttp2, type Http2ServerRequest, type Http2ServerResponse } from "node:http2";
import { type AddressInfo, createServer, type Socket } from "node:net";
import type { Duplex, Writable } from "node:stream";
import { page } from "./page.ts";

type Request = IncomingMessage | Http2ServerRequest;
type Response = ServerResponse | Http2ServerResponse;

/** A request as the server saw it, sent as JSON in the response to `/name`. */
export interface SeenRequest {
  readonly server: string;
  readonly method: string;
  readonly version: string;
  readonly bodyBytes: number;
  readonly key: string | undefined;
}

const large = Buffer.alloc(8 * 1024 * 1024, "x");

/** A running server. */
export class Upstream implements AsyncDisposable {
  readonly #name: string;
  readonly #sockets = new Set<Socket>();
  readonly #http1 = createHttp1((request, response) => void this.#respond(request, response));
  // Node refuses streams of a connection on which 10 MB wait. Here that would be a few responses that no client reads.
  readonly #http2 = createHttp2(
    { maxSessionMemory: 10_000 },
    (request, response) => void this.#respond(request, response),
  );
  readonly #server = createServer((socket) => this.#accept(socket));

  constructor(name: string) {
    this.#name = name;
    this.#http1.on("upgrade", (request, socket) => greetWebSocket(request, socket, name));
    // Resets of clients are part of the tests.
    this.#http2.on("sessionError", () => undefined);
  }

  /** Starts the server. Returns its address as `host:port`. */
  async start(): Promise<string> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }

  #accept(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("close", () => this.#sockets.delete(socket));
    socket.on("error", () => undefined);
    socket.once("data", (first: Buffer) => {
      socket.pause();
      socket.unshift(first);
      const isHttp2 = first.toString("latin1").startsWith("PRI * ");
      (isHttp2 ? this.#http2 : this.#http1).emit("connection", socket);
      if (!isHttp2) socket.resume();
    });
  }

  async #respond(request: Request, response: Response): Promise<void> {
    request.on("error", () => undefined);
    response.on("error", () => undefined);
    const [path = "/"] = (request.url ?? "/").split("?");
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      // The client has reset the request.
      return;
    }
    const body = Buffer.concat(chunks);
    switch (path) {
      case "/page":
        response.setHeader("content-type", "text/html");
        response.end(page);
        return;
      case "/events":
        response.setHeader("content-type", "text/event-stream");
        for (let event = 0; event < 3; event += 1) send(response, `data: ${this.#name} ${event}\n\n`);
        // The browser closes the stream; a closed one it would open again.
        return;
      case "/trailers":
        response.setHeader("trailer", "x-checksum");
        response.addTrailers({ "x-checksum": "abc" });
        send(response, "with trailers");
        response.end();
        return;
      case "/large":
        response.end(large);
        return;
      case "/echo":
        response.end(body);
        return;
      default: {
        const key = request.headers["x-routing-key"];
        const seen: SeenRequest = {
          server: this.#name,
          method: request.method ?? "",
          version: request.httpVersion,
          bodyBytes: body.length,
          key: typeof key === "string" ? key : undefined,
        };
        response.setHeader("content-type", "application/json");
        response.end(JSON.stringify(seen));
      }
    }
  }
}

/** Writes a part of a body. The overloads of both protocols differ, so the call needs one signature. */
function send(response: Pick<Writable, "write">, text: string): void {
  response.write(text);
}

/** Accepts a WebSocket (RFC 6455) and answers each short text with the name of the server before it. */
function greetWebSocket(request: IncomingMessage, socket: Duplex, name: string): void {
  const accept = createHash("sha1")
    .update(`${request.headers["sec-websocket-key"] ?? ""}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
    .digest("base64");
  socket.on("error", () => undefined);
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-accept: ${accept}\r\n\r\n`,
  );
  let bytes = Buffer.alloc(0);
  socket.on("data", (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk]);
    for (let frame = shortFrame(bytes); frame !== undefined; frame = shortFrame(bytes)) {
      bytes = bytes.subarray(frame.size);
      if (frame.opcode === 8) return void socket.end(Buffer.from([0x88, 0]));
      const reply = Buffer.from(`${name}: ${frame.text}`);
      socket.write(Buffer.concat([Buffer.from([0x81, reply.length]), reply]));
    }
  });
}

/** Reads a masked frame of at most 125 bytes. */
function shortFrame(bytes: Buffer): { opcode: number; text: string; size: number } | undefined {
  const length = (bytes[1] ?? 0) & 0x7f;
  const size = 6 + length;
  if (bytes.length < size) return undefined;
  const text = Buffer.from(bytes.subarray(6, size).map((byte, at) => byte ^ (bytes[2 + (at & 3)] ?? 0)));
  return { opcode: (bytes[0] ?? 0) & 0xf, text: text.toString(), size };
}
