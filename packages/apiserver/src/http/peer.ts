import { type PeerCertificate as PeerCertificateOfNode, TLSSocket } from "node:tls";

/** The client of a connection. */
export interface Peer {
  readonly address: string;
  /** TLS client certificate, if the client sent one. */
  readonly certificate?: PeerCertificate;
}

/** A TLS client certificate. */
export interface PeerCertificate {
  /** True if a trusted CA signed it for client authentication and it is currently valid. */
  readonly isTrusted: boolean;
  /** Reason why it is not trusted; absent if it is. */
  readonly problem?: string;
  /** Common name: the Kubernetes user name. */
  readonly commonName: string;
  /** Organizations: the Kubernetes groups of the user. */
  readonly organizations: readonly string[];
  /** SHA-256 fingerprint, as pairs of hexadecimal digits. */
  readonly fingerprint: string;
}

/** Reads the address and the client certificate of a connection. */
export function readPeer(socket: unknown): Peer {
  if (!(socket instanceof TLSSocket)) return { address: "" };
  const address = socket.remoteAddress ?? "";
  const certificate: PeerCertificateOfNode | null = socket.getPeerCertificate();
  // Node returns an empty object if there is no certificate, and null once the connection is closed.
  if (certificate === null || !Object.hasOwn(certificate, "subject")) return { address };
  const { CN, O } = certificate.subject;
  const problem: unknown = socket.authorizationError;
  return {
    address,
    certificate: {
      isTrusted: socket.authorized,
      ...(socket.authorized ? {} : { problem: String(problem instanceof Error ? problem.message : problem) }),
      commonName: listOf(CN)[0] ?? "",
      organizations: listOf(O),
      fingerprint: certificate.fingerprint256,
    },
  };
}

function listOf(value: string | string[] | undefined): string[] {
  return value === undefined ? [] : typeof value === "string" ? [value] : value;
}
