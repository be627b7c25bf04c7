import { join } from "node:path";
import type { Clock } from "@homeostat/core";
import type { Logger } from "@homeostat/runtime";
import { CertificateFiles } from "@homeostat/webhook";
import type { KeyPair } from "@homeostat/x509";
import { CertificateWaitError } from "../errors.ts";

/** A directory with a certificate and its key that are issued and renewed externally, for example by cert-manager. */
export interface CertificateFolder {
  readonly folder: string;
  /** The file name of the certificate. Default `tls.crt`. */
  readonly certName?: string | undefined;
  /** The file name of the private key. Default `tls.key`. */
  readonly keyName?: string | undefined;
  /** The maximum wait for a valid pair of files, in milliseconds. Default 0: forever. */
  readonly waitMs?: number | undefined;
}

/** Options of {@link followFolder}. */
export interface FollowFolderOptions extends CertificateFolder {
  /** The purpose of the certificate, for log messages and errors: `webhooks`. */
  readonly purpose: string;
  /** Called with each new certificate. */
  readonly serve: (pair: KeyPair) => void;
  readonly clock: Clock;
  readonly log: Logger;
  /** The interval at which the files are checked for a renewal, in milliseconds. Default 10,000. */
  readonly pollMs?: number | undefined;
}

const firstPollMs = 1_000;
const logIntervalMs = 10_000;

/**
 * Serves the certificate of a directory and its renewals until the signal aborts.
 *
 * Polls every second for the first certificate and logs every ten seconds that it is waiting. Rejects with a
 * `CertificateWaitError` if there is none within `waitMs`. Later, invalid files are logged and the previous certificate stays in use.
 */
export async function followFolder(options: FollowFolderOptions, signal: AbortSignal): Promise<void> {
  const { folder, certName = "tls.crt", keyName = "tls.key", waitMs = 0, purpose, serve, clock, log } = options;
  const files = new CertificateFiles({
    certPath: join(folder, certName),
    keyPath: join(folder, keyName),
    serve,
    clock,
    onProblem: (error) => log.warn("Failed to read certificate, keeping the previous one", { purpose, folder, error }),
    ...(options.pollMs === undefined ? {} : { pollMs: options.pollMs }),
  });
  const startedMs = clock.monotonic();
  let loggedMs = Number.NEGATIVE_INFINITY;
  for (;;) {
    const cause = await files.sync().then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    if (cause === undefined) break;
    const nowMs = clock.monotonic();
    if (waitMs > 0 && nowMs - startedMs >= waitMs) {
      throw new CertificateWaitError({ folder, certName, keyName, purpose, waitMs }, { cause: cause.error });
    }
    if (nowMs - loggedMs >= logIntervalMs) {
      log.warn("Waiting for certificate", { purpose, folder, certName, keyName, error: cause.error });
      loggedMs = nowMs;
    }
    try {
      await clock.sleep(firstPollMs, signal);
    } catch {
      return;
    }
  }
  await files.run(signal);
}
