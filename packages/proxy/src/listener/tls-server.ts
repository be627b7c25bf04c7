import { createServer, type Server, type TLSSocket } from "node:tls";
import type { ProxyLimits } from "../limits/limits.ts";
import type { ProxyObserver } from "../observe/observer.ts";
import type { ServerCertificates } from "./server-certificates.ts";

/** Protocols that clients may choose by ALPN (RFC 7301). A client that offers others only gets the alert `no_application_protocol`. */
const alpnProtocols = ["h2", "http/1.1"];

/** Returns a server that hands connections over after their TLS handshake. */
export function createTlsServer(
  certificates: ServerCertificates,
  { limits, observer }: { readonly limits: ProxyLimits; readonly observer: ProxyObserver },
  accept: (socket: TLSSocket) => void,
): Server {
  const { cert, key } = certificates.first;
  const server = createServer({
    cert,
    key,
    minVersion: "TLSv1.2",
    ALPNProtocols: alpnProtocols,
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
