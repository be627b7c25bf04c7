import { createServer, type Server, type TLSSocket } from "node:tls";
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

/** Returns a server that hands connections over after their TLS handshake. */
export function createTlsServer(
  { certificates, protocolsOf = () => alpnProtocols }: TlsPort,
  { limits, observer }: { readonly limits: ProxyLimits; readonly observer: ProxyObserver },
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
    handshakeTimeout: limits.tlsHandshakeMs,
    SNICallback: (name, done) => done(null, certificates.contextFor(name)),
  });
  const stopFollowing = certificates.onChange((first) => server.setSecureContext({ cert: first.cert, key: first.key }));
  server.on("secureConnection", accept);
  server.on("tlsClientError", (_error, socket) => {
    observer.failed("tls_handshake", undefined);
    socket.destroy();
  });
  server.on("close", stopFollowing);
  return server;
}
