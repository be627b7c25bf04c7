import { createServer, type Server, type Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { ListenError } from "@homeostat/core";
import type { Deadlines } from "../limits/deadlines.ts";
import type { ProxyLimits } from "../limits/limits.ts";
import type { ProxyObserver } from "../observe/observer.ts";
import type { HttpProtocol, Router } from "../router/route-plan.ts";
import type { Connect } from "../upstream/connect.ts";
import { Tunnel } from "../upstream/tunnel.ts";
import { detectProtocol } from "./detect-protocol.ts";
import type { Engine } from "./engine.ts";
import { Peek } from "./peek.ts";
import type { ServerCertificates } from "./server-certificates.ts";
import { createTlsServer } from "./tls-server.ts";

const noBytes = Buffer.alloc(0);
/** First byte of a TLS connection. */
const tlsHandshake = 0x16;

/** Dependencies of listeners. */
export interface ListenerOptions {
  readonly http1: Engine;
  /** Without it, connections of HTTP/2 are closed. */
  readonly http2?: Engine | undefined;
  /** Serves connections of HTTP/1.1 to ports whose application speaks HTTP/2 only. Default: `http1`, which refuses their requests. */
  readonly translator?: Engine | undefined;
  readonly deadlines: Deadlines;
  readonly limits: ProxyLimits;
  readonly observer: ProxyObserver;
  readonly connect: Connect;
  /** Address to listen on. Default: all addresses. */
  readonly host?: string | undefined;
  /** Makes servers listen. Default: on ports of this machine. */
  readonly listen?: Listen | undefined;
}

/** Makes a server listen on a port. Rejects if it cannot. */
export type Listen = (server: Server, port: number) => Promise<void>;

/** A port to listen on. */
export interface ListenerPort {
  /** 0 for a free port. */
  readonly port: number;
  readonly router: Router;
  /** Returns the address that receives connections which are not HTTP, as `host:port`. */
  readonly baseline: () => string | undefined;
  /** True for a port whose protocol is not HTTP: nothing is read before the connection is passed on. Servers may speak first. */
  readonly isTcp?: (() => boolean) | undefined;
  /** True for a port whose application speaks HTTP/2 only. */
  readonly isHttp2?: (() => boolean) | undefined;
  /**
   * Time after which a connection whose client has sent nothing is passed on to the baseline: its server may speak first. For ports of an
   * unknown protocol, without TLS. Default: such connections are closed after the time limit of request heads.
   */
  readonly silentMs?: number | undefined;
  /**
   * True for a port whose protocol is known to be HTTP. Connections that do not begin with a request are refused by the engine, except for TLS: passed on, a
   * malformed request would reach a lenient server without the checks and header edits of the proxy.
   */
  readonly isHttp?: (() => boolean) | undefined;
  /**
   * Certificates of a port that speaks TLS. Clients choose HTTP/2 or HTTP/1.1 by ALPN; without ALPN, the first bytes tell. Connections that
   * are not HTTP are closed.
   */
  readonly tls?: ServerCertificates | undefined;
  /** Returns the ALPN names that clients of a server name may choose, in order of preference. Default: `h2`, then `http/1.1`. */
  readonly protocolsOf?: ((serverName: string) => readonly string[]) | undefined;
}

/** Returns a function that makes servers listen on ports of this machine. */
function listenTcp(host: string | undefined): Listen {
  return (server, port) =>
    new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen({ port, ...(host === undefined ? {} : { host }) }, () => {
        server.off("error", reject);
        resolve();
      });
    });
}

/**
 * Listens on one port, tells the protocol of each connection from its first bytes, and hands it to an engine. Connections that are not HTTP are
 * passed on to the baseline: they have no key, so they are never routed.
 */
export class PortListener {
  readonly #options: ListenerOptions;
  readonly #target: ListenerPort;
  readonly #server: Server;
  readonly #peeks = new Set<Peek>();
  readonly #tunnels = new Set<Tunnel>();

  constructor(options: ListenerOptions, target: ListenerPort) {
    this.#options = options;
    this.#target = target;
    this.#server =
      target.tls === undefined
        ? createServer({ allowHalfOpen: true, noDelay: true }, (socket) => this.#accept(socket))
        : createTlsServer(
            { certificates: target.tls, protocolsOf: target.protocolsOf },
            { ...options, clock: options.deadlines.clock },
            (socket) => this.#acceptTls(socket),
          );
    this.#server.maxConnections = options.limits.connectionsMax;
    this.#server.on("drop", () => options.observer.failed("too_many_connections", undefined));
  }

  /** Port on which the listener listens. */
  get port(): number {
    if (this.#target.port !== 0) return this.#target.port;
    const address = this.#server.address();
    return address === null || typeof address === "string" ? 0 : address.port;
  }

  /** Starts to listen. Rejects with a `ListenError` if the port cannot be used. */
  async open(): Promise<void> {
    const { host, listen = listenTcp(host) } = this.#options;
    const { port } = this.#target;
    try {
      await listen(this.#server, port);
    } catch (cause) {
      throw new ListenError({ host, port, purpose: "routed requests" }, { cause });
    }
    this.#server.on("error", () => undefined);
  }

  /** Stops to accept connections. Those that engines serve stay open. */
  stopAccepting(): void {
    this.#server.close();
    for (const peek of this.#peeks) peek.socket.destroy();
  }

  /** Stops to accept connections, and closes those that are passed on without an engine. */
  close(): void {
    this.stopAccepting();
    for (const tunnel of this.#tunnels) tunnel.close();
  }

  #accept(socket: Socket): void {
    if (this.#target.isTcp?.() === true) return this.#passOn(socket, undefined);
    this.#peek(socket);
  }

  /** Accepts a connection after its TLS handshake. */
  #acceptTls(socket: TLSSocket): void {
    const protocol = socket.alpnProtocol;
    if (protocol === "h2") this.#hand(socket, noBytes, "http2");
    else if (protocol === "http/1.1") this.#hand(socket, noBytes, "http1");
    else this.#peek(socket);
  }

  #peek(socket: Socket): void {
    const { deadlines, limits } = this.#options;
    const peek = new Peek(socket, deadlines, {
      headMs: limits.requestHeadMs,
      silentMs: this.#target.isHttp?.() === true ? undefined : this.#target.silentMs,
      done: (first) => {
        this.#peeks.delete(peek);
        if (first !== undefined) this.#dispatch(socket, first);
      },
      silent: () => {
        this.#peeks.delete(peek);
        this.#passOn(socket, undefined);
      },
    });
    this.#peeks.add(peek);
  }

  #dispatch(socket: Socket, first: Buffer): void {
    const protocol = detectProtocol(first);
    if (protocol === "tcp" && first[0] !== tlsHandshake && this.#target.isHttp?.() === true)
      this.#hand(socket, first, "http1");
    else if (protocol !== "tcp") this.#hand(socket, first, protocol === "http2" ? "http2" : "http1");
    else if (this.#target.tls === undefined) this.#passOn(socket, first);
    // The baseline expects TLS, and the bytes are no longer encrypted.
    else this.#refuse(socket);
  }

  #hand(socket: Socket, first: Buffer, protocol: HttpProtocol): void {
    const { http1, http2, translator = http1 } = this.#options;
    const { router, tls, isHttp2 } = this.#target;
    const engine = protocol === "http2" ? http2 : isHttp2?.() === true ? translator : http1;
    if (engine === undefined) this.#refuse(socket);
    else engine.accept({ socket, protocol, first, router, scheme: tls === undefined ? "http" : "https" });
  }

  #refuse(socket: Socket): void {
    this.#options.observer.failed("protocol", undefined);
    socket.destroy();
  }

  #passOn(socket: Socket, first: Buffer | undefined): void {
    const { connect, deadlines, limits } = this.#options;
    const address = this.#target.baseline();
    if (address === undefined) {
      socket.destroy();
      return;
    }
    const upstream = connect(address);
    if (first !== undefined) upstream.write(first);
    const timer = deadlines.clock.schedule(limits.connectMs, () => upstream.destroy());
    upstream.once("connect", () => timer[Symbol.dispose]());
    upstream.once("error", () => this.#options.observer.failed("connect", undefined));
    const tunnel = new Tunnel({
      client: socket,
      upstream,
      deadlines,
      idleMs: limits.longStreamIdleMs,
      onClosed: () => {
        timer[Symbol.dispose]();
        this.#tunnels.delete(tunnel);
      },
    });
    this.#tunnels.add(tunnel);
  }
}
