import { type PeerCertificate as PeerCertificateOfNode, TLSSocket } from "node:tls";

/** Who is at the other end of a connection. */
export interface Peer {
  readonly address: string;
  /** The certificate it showed, if it showed one. */
  readonly certificate?: PeerCertificate;
}

/** A certificate that a client showed. */
export interface PeerCertificate {
  /** Whether an authority that the server trusts vouches for it, for this use and now. */
  readonly isTrusted: boolean;
  /** Why not. */
  readonly problem?: string;
  /** Kubernetes takes it for the name of the user. */
  readonly commonName: string;
  /** Kubernetes takes them for the user's groups. */
  readonly organizations: readonly string[];
  /** SHA-256, as hexadecimal digits in pairs. */
  readonly fingerprint: string;
}

/** Reads who is at the other end of a connection. */
export function readPeer(socket: unknown): Peer {
  if (!(socket instanceof TLSSocket)) return { address: "" };
  const address = socket.remoteAddress ?? "";
  const certificate: PeerCertificateOfNode | null = socket.getPeerCertificate();
  // Node gives an empty object where there is no certificate, and nothing at all once the connection is gone.
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
