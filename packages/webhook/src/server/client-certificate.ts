import type { IncomingMessage } from "node:http";
import { TLSSocket } from "node:tls";

/** Which clients may call admission webhooks. */
export interface ClientCertificates {
  /** PEM of the authorities that sign the certificates of API servers. */
  readonly authorities: string;
  /** The common names or DNS names that are allowed. Default: every certificate of the authorities. */
  readonly names?: readonly string[] | undefined;
}

/** Returns why a client may not call an admission webhook; undefined when it may. */
export function clientProblem(
  { socket }: Pick<IncomingMessage, "socket">,
  { names = [] }: ClientCertificates,
): string | undefined {
  if (!(socket instanceof TLSSocket) || !socket.authorized) {
    return "the webhook takes requests only from clients with a certificate of its client authority";
  }
  if (names.length === 0) return undefined;
  const { subject, subjectaltname = "" } = socket.getPeerCertificate();
  const found = [
    ...[subject.CN].flat(),
    ...subjectaltname.split(", ").flatMap((name) => (name.startsWith("DNS:") ? [name.slice("DNS:".length)] : [])),
  ];
  return found.some((name) => name !== undefined && names.includes(name))
    ? undefined
    : "the webhook does not take requests from this client: its name is not among those allowed";
}
