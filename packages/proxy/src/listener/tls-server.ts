import type { Socket } from "node:net";
import { createServer, type Server, type TLSSocket } from "node:tls";
import type { Clock, Timer } from "@homeostat/core";
import type { ProxyLimits } from "../limits/limits.ts";
import type { ProxyObserver } from "../observe/observer.ts";
import type { ServerCertificates } from "./server-certificates.ts";

/** Protocols that clients may choose by ALPN (RFC 7301). A client that offers others only gets the alert `no_application_protocol`. */
const alpnProtocols = ["h2", "http/1.1"];

/** Certificates and protocols of a TLS port. */
export interface TlsPort {
  readonly certificates: ServerCertificates;
  /** Returns the protocols that clients of a server name may choose, in order of preference. Default: HTTP/2, then HTTP/1.1. */
  readonly protocolsOf?: ((serverName: string) => readonly string[]) | undefined;
}

/** Dependencies of {@link createTlsServer}. */
export interface TlsServerOptions {
  readonly limits: Pick<ProxyLimits, "tlsHandshakeMs">;
  readonly observer: ProxyObserver;
  readonly clock: Pick<Clock, "schedule">;
}

/** Timers of Node have no longer time. */
const neverMs = 2 ** 31 - 1;

/** Returns a server that hands connections over after their TLS handshake. */
export function createTlsServer(
  { certificates, protocolsOf = () => alpnProtocols }: TlsPort,
  { limits, observer, clock }: TlsServerOptions,
  accept: (socket: TLSSocket) => void,
): Server {
  const { cert, key } = certificates.first;
  const server = createServer({
    cert,
    key,
    minVersion: "TLSv1.2",
    // Undefined refuses the handshake with the alert no_application_protocol.
    ALPNCallback: ({ servername, protocols }) => protocolsOf(servername).find((each) => protocols.includes(each)),
    allowHalfOpen: true,
    noDelay: true,
    // The clock of the proxy limits the handshake instead.
    handshakeTimeout: neverMs,
    SNICallback: (name, done) => done(null, certificates.contextFor(name)),
  });
  const stopFollowing = certificates.onChange((first) => server.setSecureContext({ cert: first.cert, key: first.key }));
  const handshakes = new Map<string, Timer>();
  const end = (client: string): void => {
    handshakes.get(client)?.[Symbol.dispose]();
    handshakes.delete(client);
  };
  server.on("connection", (socket: Socket) => {
    const client = clientOf(socket);
    handshakes.set(
      client,
      clock.schedule(limits.tlsHandshakeMs, () => socket.destroy()),
    );
    socket.once("close", () => end(client));
  });
  server.on("secureConnection", (socket) => {
    end(clientOf(socket));
    accept(socket);
  });
  server.on("tlsClientError", (_error, socket) => {
    observer.failed("tls_handshake", undefined);
    socket.destroy();
  });
  server.on("close", stopFollowing);
  return server;
}

/** Returns the address of a client, which names one open connection of a port. The socket of TLS and that below it have the same. */
function clientOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
