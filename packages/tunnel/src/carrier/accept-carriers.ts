// The server's side of the transports: one TLS port, on which ALPN decides between a bare tunnel, a WebSocket on HTTP/1.1 and a WebSocket on a stream
// of HTTP/2.
import { createServer as createHttpServer, type IncomingMessage, type Server as HttpServer } from "node:http";
import {
  createSecureServer,
  type Http2SecureServer,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from "node:http2";
import type { Duplex } from "node:stream";
import { createServer, type SecureContextOptions, type Server, TLSSocket } from "node:tls";
import { type TransportName, tunnelAlpn, tunnelPath, tunnelSubprotocol } from "../handshake/protocol-names.ts";
import { sha256 } from "../handshake/sha256.ts";
import { checkUpgrade, selects } from "../websocket/upgrade.ts";
import type { RandomBytes } from "../websocket/websocket.ts";
import type { Carrier } from "./carrier.ts";
import { SocketCarrier } from "./socket-carrier.ts";
import { WebSocketCarrier } from "./websocket-carrier.ts";

/** A connection of a client, before the handshake of the tunnel. */
export interface AcceptedCarrier {
  readonly carrier: Carrier;
  readonly transport: TransportName;
  /** SHA-256 of the certificate that this server presented on the connection, in hex. */
  readonly certificateSha256: string;
  readonly remoteAddress: string;
}

/** Options of {@link CarrierServer}. */
export interface CarrierServerOptions {
  /** Certificate chain with the authority, and private key, in PEM. */
  readonly certificate: Pick<SecureContextOptions, "cert" | "key">;
  readonly randomBytes: RandomBytes;
  readonly onCarrier: (accepted: AcceptedCarrier) => void;
  /** Reports whether a connection of an address is accepted. Refused connections are closed before the TLS handshake. */
  readonly admits?: (remoteAddress: string) => boolean;
  /** Called with errors of connections before their carrier exists, such as failed TLS handshakes. */
  readonly onConnectionError?: (error: Error) => void;
  /** Connections that are open at the same time, with and without a tunnel; default: 4,096. */
  readonly connectionsMax?: number;
}

const connectionsMaxDefault = 4_096;
/** Time for the TLS handshake and for the head of an HTTP request, in milliseconds. */
const handshakeMs = 10_000;
const windowBytes = 16 * 1024 * 1024;

/** Accepts connections of clients on one TLS port. */
export class CarrierServer {
  readonly #options: CarrierServerOptions;
  readonly #http: HttpServer;
  readonly #http2: Http2SecureServer;
  readonly #tls: Server;
  readonly #sockets = new Set<Duplex>();
  readonly #tlsOf = new WeakMap<object, TLSSocket>();

  constructor(options: CarrierServerOptions) {
    this.#options = options;
    const { certificate } = options;
    this.#tls = createServer({
      ...certificate,
      ALPNProtocols: [tunnelAlpn, "h2", "http/1.1"],
      minVersion: "TLSv1.2",
      handshakeTimeout: handshakeMs,
      allowHalfOpen: false,
    });
    this.#tls.maxConnections = options.connectionsMax ?? connectionsMaxDefault;
    this.#http = createHttpServer({
      requestTimeout: handshakeMs,
      headersTimeout: handshakeMs,
      maxHeaderSize: 16 * 1024,
    });
    this.#http2 = createSecureServer({
      ...certificate,
      settings: { enableConnectProtocol: true, initialWindowSize: windowBytes, maxConcurrentStreams: 1 },
    });
    this.#listen();
  }

  /** Listens on a port; 0 chooses a free one. Resolves with the port. */
  async listen({ host, port }: { readonly host?: string; readonly port: number }): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#tls.once("error", reject);
      this.#tls.listen({ port, ...(host === undefined ? {} : { host }) }, () => {
        this.#tls.off("error", reject);
        resolve();
      });
    });
    const address = this.#tls.address();
    return typeof address === "object" && address !== null ? address.port : port;
  }

  /** Uses another certificate for new connections. */
  renew(certificate: CarrierServerOptions["certificate"]): void {
    this.#tls.setSecureContext(certificate);
  }

  /** Accepts no more connections. Those that exist go on. */
  stopAccepting(): void {
    this.#tls.close();
  }

  /** Closes the port and all connections. */
  close(): void {
    this.#tls.close();
    this.#http.close();
    this.#http2.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #listen(): void {
    const { admits, onConnectionError = () => undefined } = this.#options;
    this.#tls.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
      socket.setKeepAlive(true, 15_000);
      if (admits !== undefined && !admits(socket.remoteAddress ?? "")) socket.destroy();
    });
    this.#tls.on("tlsClientError", onConnectionError);
    this.#tls.on("secureConnection", (socket: TLSSocket) => {
      socket.on("error", onConnectionError);
      if (socket.alpnProtocol === tunnelAlpn) this.#accept(new SocketCarrier(socket), "tls", socket);
      else if (socket.alpnProtocol === "h2") {
        // The event of the session comes during the call. Its own `socket` is a proxy object that hides the certificate.
        this.#http2.once("session", (session) => this.#tlsOf.set(session, socket));
        this.#http2.emit("secureConnection", socket);
      } else this.#http.emit("connection", socket);
    });
    this.#http.on("request", (_request, response) => {
      response.writeHead(426, { connection: "close", "content-type": "text/plain" });
      response.end("This is a tunnel server. Use sandboxctl to connect to it.\n");
    });
    this.#http.on("clientError", (error: Error, socket: Duplex) => {
      onConnectionError(error);
      socket.destroy();
    });
    this.#http.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) =>
      this.#upgrade(request, socket, head),
    );
    this.#http2.on("stream", (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) =>
      this.#connect(stream, headers),
    );
    this.#http2.on("sessionError", onConnectionError);
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { method = "", url: path = "", headers } = request;
    const checked = checkUpgrade({ method, path, headers }, { path: tunnelPath, protocol: tunnelSubprotocol });
    if (!("response" in checked)) {
      const body = `${checked.message}\n`;
      socket.end(
        `HTTP/1.1 ${checked.status} Refused\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      );
      return;
    }
    socket.write(checked.response);
    const { randomBytes } = this.#options;
    this.#accept(
      new WebSocketCarrier({ connection: socket, head, side: "server", randomBytes }),
      "wss",
      request.socket,
    );
  }

  #connect(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    const { randomBytes, onConnectionError = () => undefined } = this.#options;
    stream.on("error", onConnectionError);
    const isTunnel =
      headers[":method"] === "CONNECT" &&
      headers[":protocol"] === "websocket" &&
      headers[":path"] === tunnelPath &&
      headers["sec-websocket-version"] === "13" &&
      selects(headers["sec-websocket-protocol"], tunnelSubprotocol);
    const session = stream.session;
    const socket = session === undefined ? undefined : this.#tlsOf.get(session);
    if (!isTunnel || session === undefined || socket === undefined) {
      stream.respond({ ":status": headers[":path"] === tunnelPath ? 400 : 404 }, { endStream: true });
      return;
    }
    session.setLocalWindowSize(windowBytes);
    stream.respond({ ":status": 200, "sec-websocket-protocol": tunnelSubprotocol });
    const onClosed = (): void => session.destroy();
    this.#accept(new WebSocketCarrier({ connection: stream, side: "server", randomBytes, onClosed }), "h2", socket);
  }

  #accept(carrier: Carrier, transport: TransportName, socket: Duplex): void {
    if (!(socket instanceof TLSSocket)) return carrier.destroy();
    const own = socket.getCertificate();
    if (own === null || !("raw" in own)) return carrier.destroy();
    const { remoteAddress = "" } = socket;
    this.#options.onCarrier({ carrier, transport, certificateSha256: sha256(own.raw), remoteAddress });
  }
}
