import { createServer, type Server, type Socket } from "node:net";
import { createSecureContext, TLSSocket } from "node:tls";
import type { HostilePeer, PeerSocket } from "./peers.ts";

/** A certificate and its key, in PEM. */
export interface PeerCertificate {
  readonly cert: string;
  readonly key: string;
}

/** One hostile peer, listening on a port of this machine. */
export class PeerServer {
  readonly #server: Server;
  readonly #open = new Set<Socket>();
  readonly #waiting: (() => void)[] = [];
  #bytesSent = 0;
  #hasActed: () => void = () => undefined;
  /** Resolves when the peer has misbehaved on a connection for the first time. */
  readonly acted: Promise<void>;

  constructor(peer: HostilePeer, certificate?: PeerCertificate) {
    this.acted = new Promise((resolve) => (this.#hasActed = resolve));
    // Half-open: the peer decides itself when it closes its side.
    this.#server = createServer({ allowHalfOpen: true }, (socket) => {
      this.#open.add(socket);
      this.#watch(socket, socket);
      if (peer.at === "connect" || certificate === undefined) return this.#serve(peer, socket);
      const secure = new TLSSocket(socket, { isServer: true, secureContext: createSecureContext(certificate) });
      // It takes over the reading, so the socket below does not see the end.
      this.#watch(secure, socket);
      this.#serve(peer, secure);
    });
  }

  /** Bytes that were handed to the network. */
  get bytesSent(): number {
    return this.#bytesSent;
  }

  /** Starts to listen, and returns the port. */
  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    const address = this.#server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  }

  /** Resolves when the client has closed every connection. */
  async released(): Promise<void> {
    if (this.#open.size > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  async close(): Promise<void> {
    for (const socket of this.#open) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Counts a connection as closed when the client's FIN or RST arrives. */
  #watch(stream: Socket, socket: Socket): void {
    const left = (): void => {
      socket.destroy();
      if (!this.#open.delete(socket) || this.#open.size > 0) return;
      for (const resolve of this.#waiting.splice(0)) resolve();
    };
    stream.on("end", left);
    stream.on("close", left);
    stream.on("error", left);
  }

  #serve(peer: HostilePeer, socket: Socket): void {
    const act = (): void => {
      peer.act(this.#peerSocket(socket));
      this.#hasActed();
    };
    if (peer.at === "connect") {
      socket.resume();
      return act();
    }
    let head = "";
    let hasActed = false;
    socket.on("data", (piece: Buffer) => {
      if (hasActed) return;
      head += piece.toString("latin1");
      if (!head.includes("\r\n\r\n")) return;
      hasActed = true;
      act();
    });
  }

  #peerSocket(socket: Socket): PeerSocket {
    const send = (text: string): boolean => {
      this.#bytesSent += text.length;
      return socket.write(text, "latin1");
    };
    const pump = (text: string): void => {
      while (!socket.destroyed && send(text));
      if (!socket.destroyed) socket.once("drain", () => setImmediate(pump, text));
    };
    const drip = (text: string, rest: string, at: number): void => {
      if (socket.destroyed) return;
      send(text.charAt(at));
      if (at + 1 < text.length) setImmediate(drip, text, rest, at + 1);
      else setImmediate(drip, rest, rest, 0);
    };
    return {
      write: (text) => void (text !== "" && send(text)),
      halfClose: () => socket.end(),
      // With TLS, the reset has to come from the socket below; it takes both down.
      reset: () => {
        const raw = [...this.#open].at(-1) ?? socket;
        // What was written before has to leave first.
        socket.write("", () => raw.resetAndDestroy());
      },
      // In blocks: small writes would keep the event loop busy with the peer instead of the client.
      flood: (text) => pump(text.repeat(Math.ceil(16_384 / text.length))),
      drip: (text, rest) => drip(text, rest, 0),
    };
  }
}
