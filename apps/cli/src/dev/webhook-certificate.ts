import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { issue, makeAuthority } from "@homeostat/x509";
import type { TemporaryFolder } from "../temporary-folder.ts";

/** Lifetime of the certificate. A run of the command is shorter. */
const lifetimeMs = 30 * 86_400_000;

/** Writes a certificate for a host, valid from now, and its key into a folder, as the flag `--webhook-cert-dir` needs them. Returns the authority, in PEM. */
export async function writeWebhookCertificate(
  folder: TemporaryFolder,
  { host, now }: { readonly host: string; readonly now: number },
): Promise<string> {
  // An hour earlier: the clock of the cluster may be behind.
  const validity = { validFrom: new Date(now - 3_600_000), validUntil: new Date(now + lifetimeMs) };
  const authority = makeAuthority({ subject: { commonName: "homeostat-dev" }, ...validity });
  const pair = issue(authority, {
    subject: { commonName: "homeostat-dev" },
    hosts: [host],
    usages: ["server"],
    ...validity,
  });
  await writeFile(join(folder.path, "tls.crt"), pair.cert);
  await writeFile(join(folder.path, "tls.key"), pair.key, { mode: 0o600 });
  return authority.cert;
}
