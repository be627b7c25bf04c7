import { createHash } from "node:crypto";
import { once } from "node:events";
import {
  createServer as createHttp1,
  type IncomingMessage,
  type Server as Http1Server,
  type ServerResponse,
} from "node:http";
import {
  createServer as createHttp2,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from "node:http2";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { detectProtocol } from "../listener/detect-protocol.ts";
import { events, upstreamHeader } from "./protocol-cases.ts";

/** An application that responds to all requests of the protocol cases, by HTTP/1.1 and HTTP/2 on one port. */
export class ProtocolUpstream implements AsyncDisposable {
  readonly name: string;
  readonly #http1: Http1Server;
  readonly #http2: Http2Server;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(name: string) {
    this.name = name;
    this.#http1 = createHttp1((message, response) => void this.#serveHttp1(message, response));
    this.#http1.on("checkContinue", (message, response) => {
      response.writeContinue();
      void this.#serveHttp1(message, response);
    });
    this.#http1.on("upgrade", (_message, socket) => {
      const fields = `${upstreamHeader}: ${this.name}\r\nconnection: upgrade\r\nupgrade: websocket\r\n`;
      socket.write(`HTTP/1.1 101 Switching Protocols\r\n${fields}\r\n`);
      socket.on("error", () => undefined);
      socket.pipe(socket);
    });
    this.#http2 = createHttp2({ settings: { enableConnectProtocol: true } });
    this.#http2.on("sessionError", () => undefined);
    this.#http2.on("stream", (stream, headers) => {
      stream.on("error", () => undefined);
      void this.#serveHttp2(stream, headers);
    });
    this.#server = createServer((socket) => this.#accept(socket));
  }

  static async start(name: string): Promise<ProtocolUpstream> {
    const upstream = new ProtocolUpstream(name);
    upstream.#server.listen(0, "127.0.0.1");
    await once(upstream.#server, "listening");
    return upstream;
  }

  get address(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }

  #accept(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("error", () => undefined);
    socket.once("close", () => this.#sockets.delete(socket));
    socket.once("data", (first: Buffer) => {
      socket.pause();
      socket.unshift(first);
      const isHttp2 = detectProtocol(first) === "http2";
      (isHttp2 ? this.#http2 : this.#http1).emit("connection", socket);
      if (!isHttp2) socket.resume();
    });
  }

  async #serveHttp1(message: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader(upstreamHeader, this.name);
    const body = await collect(message);
    if (message.url === "/events") {
      response.setHeader("content-type", "text/event-stream");
      for (const event of events) response.write(event);
      response.end();
    } else if (message.url === "/trailers") {
      response.setHeader("trailer", "x-echo");
      response.write(body);
      response.addTrailers({ "x-echo": message.trailers["x-checksum"] ?? "" });
      response.end();
    } else if (message.url === "/upload") response.end(digest(body));
    else response.end(message.url === "/plain" ? "hello" : body);
  }

  async #serveHttp2(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): Promise<void> {
    const path = headers[":path"];
    const isGrpc = headers["content-type"] === "application/grpc";
    let echo = "";
    stream.on("trailers", (trailers) => (echo = String(trailers["x-checksum"] ?? "")));
    const respond = (fields: Record<string, string> = {}): void => {
      stream.respond({ ":status": 200, [upstreamHeader]: this.name, ...fields }, { waitForTrailers: isGrpc });
      if (isGrpc) stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0", "x-echo": echo }));
    };
    if (path === "/ws" || path === "/pkg.Svc/Chat") {
      respond(isGrpc ? { "content-type": "application/grpc" } : {});
      stream.pipe(stream);
      return;
    }
    const body = await collect(stream);
    if (stream.destroyed) return;
    if (path === "/events") {
      respond({ "content-type": "text/event-stream" });
      for (const event of events) stream.write(event);
      stream.end();
      return;
    }
    respond(isGrpc ? { "content-type": "application/grpc" } : {});
    stream.end(path === "/upload" ? digest(body) : isGrpc ? body : "hello");
  }
}

async function collect(source: AsyncIterable<unknown>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of source) if (Buffer.isBuffer(chunk)) chunks.push(chunk);
  } catch {
    // The proxy has left.
  }
  return Buffer.concat(chunks);
}

function digest(body: Buffer): string {
  return createHash("sha256").update(body).digest("hex");
}
