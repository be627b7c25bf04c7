import { createHash, X509Certificate } from "node:crypto";
import { issue, makeAuthority } from "@homeostat/x509";
import { tunnelServerName } from "../handshake/protocol-names.ts";

/** An authority and a certificate of a tunnel server, for tests. */
export interface ServerCertificate {
  /** The certificate with its authority, and the private key. */
  readonly certificate: { readonly cert: string; readonly key: string };
  /** SHA-256 of the authority, in hex: the pin of clients. */
  readonly caSha256: string;
}

/** Returns a certificate of a new authority. `validFrom` and `validUntil` may lie in the past: clients with a pin do not check them. */
export function serverCertificate({
  hosts = [tunnelServerName],
  validFrom = new Date("2026-01-01T00:00:00Z"),
  validUntil = new Date("2036-01-01T00:00:00Z"),
}: {
  readonly hosts?: readonly string[];
  readonly validFrom?: Date;
  readonly validUntil?: Date;
} = {}): ServerCertificate {
  const authority = makeAuthority({ subject: { commonName: "sandbox-ca" }, validFrom, validUntil });
  const leaf = issue(authority, { subject: { commonName: "sandbox-tunnel" }, hosts, validFrom, validUntil });
  const caSha256 = createHash("sha256").update(new X509Certificate(authority.cert).raw).digest("hex");
  return { certificate: { cert: `${leaf.cert}${authority.cert}`, key: leaf.key }, caSha256 };
}
