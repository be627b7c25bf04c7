import { X509Certificate } from "node:crypto";
import type { Duplex } from "node:stream";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { TunnelUntrustedError } from "../errors.ts";
import { sha256 } from "../handshake/sha256.ts";
import { tunnelServerName } from "../handshake/protocol-names.ts";

/** The trust of a client in a tunnel server. */
export type TunnelTrust =
  /**
   * By the SHA-256 (hex) of its authority, or several of them separated by commas, read from the LocalWorkload. The validity period of certificates is not checked: the clock of a developer's
   * machine may be wrong, and the operator replaces the pin when it renews the authority.
   */
  | { readonly caSha256: string }
  /** By the public authorities of the system, for a tunnel server with a public certificate. */
  | { readonly publicName: string };

/** A TLS connection to a server that is trusted. */
export interface SecureConnection {
  readonly socket: TLSSocket;
  /** SHA-256 of the certificate of the server, in hex. */
  readonly certificateSha256: string;
}

/** Starts TLS on a connection and checks the server. Closes the connection if the server is not trusted, and when the signal aborts before. */
export async function secureConnection({
  connection,
  trust,
  alpn,
  signal,
}: {
  readonly connection: Duplex;
  readonly trust: TunnelTrust;
  readonly alpn: string;
  readonly signal: AbortSignal;
}): Promise<SecureConnection> {
  const isPinned = "caSha256" in trust;
  const socket = connectTls({
    socket: connection,
    servername: isPinned ? tunnelServerName : trust.publicName,
    ALPNProtocols: [alpn],
    rejectUnauthorized: !isPinned,
    minVersion: "TLSv1.2",
  });
  try {
    await untilSecure(socket, connection, signal);
    if (socket.alpnProtocol !== alpn)
      throw new TunnelUntrustedError(
        `the server selected the protocol ${socket.alpnProtocol || "none"} instead of ${alpn}`,
      );
    return { socket, certificateSha256: checkedCertificate(socket, trust) };
  } catch (error) {
    socket.destroy();
    connection.destroy();
    throw error;
  }
}

async function untilSecure(socket: TLSSocket, connection: Duplex, signal: AbortSignal): Promise<void> {
  let settle: (error?: unknown) => void = () => undefined;
  const settled = new Promise<void>((resolve, reject) => {
    settle = (error) => (error === undefined ? resolve() : reject(error));
  });
  const failed = (error: unknown): void => settle(error ?? new Error("the connection failed during the TLS handshake"));
  const closed = (): void => settle(new Error("the connection ended during the TLS handshake"));
  const aborted = (): void => settle(signal.reason);
  const secure = (): void => settle();
  socket.once("secureConnect", secure).on("error", failed).once("close", closed);
  // Errors of the connection below reach the TLS socket as well; without a listener they would end the program.
  connection.on("error", failed);
  signal.addEventListener("abort", aborted, { once: true });
  if (signal.aborted) aborted();
  try {
    await settled;
  } finally {
    // The error listeners stay: later errors arrive as the end of the carrier.
    socket.off("secureConnect", secure).off("close", closed);
    signal.removeEventListener("abort", aborted);
  }
}

/** Returns the SHA-256 of the server's certificate. Throws a {@link TunnelUntrustedError} unless the pinned authority issued it for a tunnel server. */
function checkedCertificate(socket: TLSSocket, trust: TunnelTrust): string {
  const { raw, issuerCertificate } = socket.getPeerCertificate(true);
  if ("caSha256" in trust) {
    const leaf = new X509Certificate(raw);
    const authority = new X509Certificate(issuerCertificate?.raw ?? raw);
    if (
      !trust.caSha256.toLowerCase().split(",").includes(sha256(authority.raw)) ||
      sha256(authority.raw) === sha256(leaf.raw)
    )
      throw new TunnelUntrustedError("the pinned authority did not issue it");
    if (!authority.ca || !leaf.verify(authority.publicKey))
      throw new TunnelUntrustedError("its signature is not that of the pinned authority");
    if (leaf.checkHost(tunnelServerName) === undefined)
      throw new TunnelUntrustedError(`it is not for ${tunnelServerName}`);
  }
  return sha256(raw);
}
