import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Clock } from "@homeostat/core";
import type { Logger } from "@homeostat/runtime";
import type { ClientCertificates } from "@homeostat/webhook";

/** A file with the CA certificates that sign the client certificates of API servers. */
export interface ClientAuthorityFile {
  /** Path of a PEM file with one certificate or several. */
  readonly file: string;
  /** The common names or DNS names that are allowed. Default: every certificate that the CAs signed. */
  readonly names?: readonly string[] | undefined;
}

/** Options of {@link followClientAuthorities}. */
export interface FollowClientAuthoritiesOptions extends ClientAuthorityFile {
  /** Called with the CA certificates, and again when the file changed. */
  readonly serve: (certificates: ClientCertificates) => void;
  readonly clock: Clock;
  readonly log: Logger;
  /** The interval at which the file is read, in milliseconds. Default 10,000. */
  readonly pollMs?: number | undefined;
}

/**
 * Reads the client CAs of webhooks from a file, and again whenever it changes, until the signal aborts.
 *
 * A missing or malformed file is logged and read again later. The CAs that were read before stay in use.
 */
export async function followClientAuthorities(
  { file, names, serve, clock, log, pollMs = 10_000 }: FollowClientAuthoritiesOptions,
  signal: AbortSignal,
): Promise<void> {
  let current = "";
  while (!signal.aborted) {
    try {
      const authorities = await readFile(file, "utf8");
      if (authorities !== current) {
        checkAuthorities(authorities);
        serve({ authorities, names });
        current = authorities;
      }
    } catch (error) {
      log.warn("Failed to read webhook client CA, retrying", { file, error });
    }
    try {
      await clock.sleep(pollMs, signal);
    } catch {
      return;
    }
  }
}

/** Throws if a text is not a list of PEM certificates. Node's TLS skips malformed blocks silently, and would then trust fewer clients. */
function checkAuthorities(pem: string): void {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^]*?-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) throw new Error("the file contains no PEM certificate");
  for (const block of blocks) parseCertificate(block);
}

/** Returns the parsed certificate; throws when the block is malformed. */
function parseCertificate(block: string): X509Certificate {
  return new X509Certificate(block);
}
