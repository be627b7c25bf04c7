import type { IncomingMessage } from "node:http";
import { TLSSocket } from "node:tls";

/** Clients that may call admission webhooks. */
export interface ClientCertificates {
  /** CAs that sign the client certificates of API servers, PEM. */
  readonly authorities: string;
  /** Allowed common names or DNS names. Default: every certificate of the CAs. */
  readonly names?: readonly string[] | undefined;
}

/** Returns why a client may not call an admission webhook; undefined if it may. */
export function clientProblem(
  { socket }: Pick<IncomingMessage, "socket">,
  { names = [] }: ClientCertificates,
): string | undefined {
  if (!(socket instanceof TLSSocket) || !socket.authorized) {
    return "the webhook accepts only clients with a certificate of its client CA";
  }
  if (names.length === 0) return undefined;
  const { subject, subjectaltname = "" } = socket.getPeerCertificate();
  const found = [
    ...[subject.CN].flat(),
    ...subjectaltname.split(", ").flatMap((name) => (name.startsWith("DNS:") ? [name.slice("DNS:".length)] : [])),
  ];
  return found.some((name) => name !== undefined && names.includes(name))
    ? undefined
    : "the webhook does not accept this client: the name in its certificate is not allowed";
}
