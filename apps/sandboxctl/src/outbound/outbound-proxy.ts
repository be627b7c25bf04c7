// A SOCKS5 (RFC 1928) and HTTP proxy on one loopback port. Connections to Services go through the tunnel, others from this machine, as without a proxy.

import { createServer, type Server, type Socket } from "node:net";
import { once } from "node:events";
import { HomeostatError } from "@homeostat/core";
import { type SplicedStream, spliceSocket, type StreamFailedError } from "@homeostat/tunnel";
import { destinationOf, type ServiceTarget } from "./cluster-names.ts";
import { connectDirect } from "../tunnel/connect-transport.ts";
import { formatHead, headBytesMax, parseHead } from "./inject-key.ts";

/** Options of {@link OutboundProxy}. */
export interface OutboundProxyOptions {
  /** Opens a connection to a Service through the tunnel. */
  readonly open: (destination: string, onAnswer: (failure: StreamFailedError | undefined) => void) => SplicedStream;
  /** Returns the Service that a host stands for; undefined for hosts outside of the cluster. */
  readonly serviceOf: (host: string, port: number) => ServiceTarget | undefined;
  /** The key that is added to plain HTTP requests to Services; empty for none. */
  readonly routingKey: () => string;
  /** Environment of this program: connections out of the cluster use its HTTP proxy. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A connection to a destination, or the reason why there is none. */
type Opened =
  | { readonly join: (socket: Socket, first: Buffer) => void }
  | { readonly failure: string; readonly code: string };

/** The proxy. */
export class OutboundProxy implements Disposable {
  readonly #options: OutboundProxyOptions;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #stopping = new AbortController();

  constructor(options: OutboundProxyOptions) {
    this.#options = options;
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => this.#accept(socket));
  }

  /** Listens on a loopback address. Resolves with the port. */
  async listen({ host, port }: { readonly host: string; readonly port: number }): Promise<number> {
    this.#server.listen(port, host);
    await once(this.#server, "listening");
    const address = this.#server.address();
    return typeof address === "object" && address !== null ? address.port : port;
  }

  [Symbol.dispose](): void {
    this.#stopping.abort();
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #accept(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("close", () => this.#sockets.delete(socket));
    socket.on("error", () => undefined);
    const reader = new ByteReader(socket);
    void this.#serve(socket, reader).catch((error: unknown) => {
      socket.destroy();
      if (!(error instanceof EndedError)) throw error;
    });
  }

  async #serve(socket: Socket, reader: ByteReader): Promise<void> {
    const [version] = await reader.take(1);
    if (version === 5) return this.#serveSocks(socket, reader);
    reader.unread(Buffer.from([version ?? 0]));
    return this.#serveHttp(socket, reader);
  }

  async #serveSocks(socket: Socket, reader: ByteReader): Promise<void> {
    const [methods = 0] = await reader.take(1);
    const offered = await reader.take(methods);
    if (!offered.includes(0)) return void socket.end(Buffer.from([5, 0xff]));
    socket.write(Buffer.from([5, 0]));
    const [version, command, , type] = await reader.take(4);
    const host = version === 5 ? await socksHost(type, reader) : undefined;
    const reply = (code: number): boolean => socket.write(Buffer.from([5, code, 0, 1, 0, 0, 0, 0, 0, 0]));
    if (host === undefined || command !== 1) {
      reply(command === 1 ? 8 : 7);
      return void socket.end();
    }
    const port = (await reader.take(2)).readUInt16BE();
    const opened = await this.#open(host, port);
    if ("failure" in opened) {
      reply(socksCodes[opened.code] ?? 1);
      return void socket.end();
    }
    reply(0);
    return opened.join(socket, reader.release());
  }

  async #serveHttp(socket: Socket, reader: ByteReader): Promise<void> {
    const head = await reader.head();
    const refuse = (status: string, text: string): void =>
      void socket.end(
        `HTTP/1.1 ${status}\r\nContent-Type: text/plain\r\nConnection: close\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
      );
    if (head === "invalid") return refuse("400 Bad Request", "sandboxctl: not a request to an HTTP proxy\n");
    const isTunnel = head.method === "CONNECT";
    const url = parseTarget(head.target, isTunnel);
    if (url === undefined)
      return refuse("400 Bad Request", "sandboxctl: use this port as a proxy; the target must be a full URL\n");
    const opened = await this.#open(url.host, url.port);
    if ("failure" in opened) return refuse("502 Bad Gateway", `sandboxctl: ${opened.failure}\n`);
    if (isTunnel) {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      return opened.join(socket, Buffer.concat([head.rest, reader.release()]));
    }
    const isService = this.#options.serviceOf(url.host, url.port) !== undefined;
    const routingKey = isService ? this.#options.routingKey() : "";
    const first = formatHead(head, { target: url.path, routingKey });
    return opened.join(socket, Buffer.concat([first, head.rest, reader.release()]));
  }

  /** Opens a connection to a host: through the tunnel if it is a Service, otherwise from this machine. */
  async #open(host: string, port: number): Promise<Opened> {
    const service = this.#options.serviceOf(host, port);
    if (service === undefined)
      return openDirect({ host, port }, { env: this.#options.env, signal: this.#stopping.signal });
    return openService(destinationOf(service), this.#options.open);
  }
}

async function openDirect(
  address: { readonly host: string; readonly port: number },
  options: { readonly env: Readonly<Record<string, string | undefined>>; readonly signal: AbortSignal },
): Promise<Opened> {
  try {
    const target = await connectDirect(address, options);
    const stop = (): void => void target.destroy();
    options.signal.addEventListener("abort", stop, { once: true });
    return {
      join: (socket, first) => {
        target.on("error", () => socket.destroy());
        target.on("close", () => {
          options.signal.removeEventListener("abort", stop);
          socket.end();
        });
        socket.on("close", stop);
        target.write(first);
        socket.pipe(target).pipe(socket);
      },
    };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { code: "refused", failure: `cannot connect to ${address.host}:${address.port}: ${message}` };
  }
}

/** Opens a stream to a Service, and waits until the server accepts or refuses it. */
export async function openService(destination: string, open: OutboundProxyOptions["open"]): Promise<Opened> {
  try {
    let stream: SplicedStream | undefined;
    const failure = await new Promise<StreamFailedError | undefined>((resolve) => {
      stream = open(destination, resolve);
    });
    if (failure !== undefined || stream === undefined)
      return { code: failure?.reason ?? "refused", failure: failure?.message ?? "the tunnel is closed" };
    const opened = stream;
    return {
      join: (socket, first) => {
        opened.write(first);
        spliceSocket(opened, socket);
        socket.resume();
      },
    };
  } catch (error) {
    if (!(error instanceof HomeostatError)) throw error;
    return { code: "refused", failure: error.message };
  }
}

/** Replies of SOCKS5 by codes of streams. */
const socksCodes: Readonly<Record<string, number>> = { denied: 2, dns: 4, refused: 5, timeout: 6 };

async function socksHost(type: number | undefined, reader: ByteReader): Promise<string | undefined> {
  if (type === 1) return (await reader.take(4)).join(".");
  if (type === 3) {
    const [length = 0] = await reader.take(1);
    return (await reader.take(length)).toString("latin1");
  }
  if (type !== 4) return undefined;
  const bytes = await reader.take(16);
  return Array.from({ length: 8 }, (_, index) => bytes.readUInt16BE(index * 2).toString(16)).join(":");
}

function parseTarget(target: string, isTunnel: boolean): { host: string; port: number; path: string } | undefined {
  const text = isTunnel ? `http://${target}` : target;
  if (!/^http:\/\//i.test(text) || !URL.canParse(text)) return undefined;
  const { hostname, port, pathname, search } = new URL(text);
  const number = isTunnel ? Number(/:(\d+)$/.exec(target)?.[1] ?? 443) : port === "" ? 80 : Number(port);
  return { host: hostname.replace(/^\[|\]$/g, ""), port: number, path: `${pathname}${search}` };
}

/** Thrown when a client disconnects before its request is complete. */
class EndedError extends Error {}

/** Reads bytes of a socket until the connection is joined with another one. */
class ByteReader {
  readonly #socket: Socket;
  #buffer: Buffer = Buffer.alloc(0);
  #isEnded = false;
  #wake: (() => void) | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", this.#data).on("end", this.#end).on("close", this.#end);
  }

  async take(length: number): Promise<Buffer> {
    while (this.#buffer.length < length) await this.#more();
    const taken = this.#buffer.subarray(0, length);
    this.#buffer = this.#buffer.subarray(length);
    return taken;
  }

  unread(bytes: Buffer): void {
    this.#buffer = Buffer.concat([bytes, this.#buffer]);
  }

  /** Reads the head of a request. */
  async head(): Promise<Exclude<ReturnType<typeof parseHead>, undefined>> {
    for (;;) {
      const head = parseHead(this.#buffer);
      if (head !== undefined) {
        this.#buffer = Buffer.alloc(0);
        return head;
      }
      await this.#more();
    }
  }

  /** Stops reading. Returns the bytes that were read and not taken. */
  release(): Buffer {
    this.#socket.pause();
    this.#socket.off("data", this.#data).off("end", this.#end).off("close", this.#end);
    const rest = this.#buffer;
    this.#buffer = Buffer.alloc(0);
    return rest;
  }

  async #more(): Promise<void> {
    if (this.#isEnded || this.#buffer.length > headBytesMax)
      throw new EndedError("The client of the proxy has disconnected.");
    await new Promise<void>((resolve) => (this.#wake = resolve));
  }

  readonly #data = (chunk: Buffer): void => {
    this.#buffer = this.#buffer.length === 0 ? chunk : Buffer.concat([this.#buffer, chunk]);
    if (this.#buffer.length > headBytesMax) this.#socket.pause();
    this.#wake?.();
  };

  readonly #end = (): void => {
    this.#isEnded = true;
    this.#wake?.();
  };
}
