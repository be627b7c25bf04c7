import { join } from "node:path";
import type { Clock } from "@homeostat/core";
import type { Logger } from "@homeostat/runtime";
import { CertificateFiles } from "@homeostat/webhook";
import type { KeyPair } from "@homeostat/x509";
import { CertificateWaitError } from "../errors.ts";

/** A folder with a certificate and its key, which somebody else makes and renews. */
export interface CertificateFolder {
  readonly folder: string;
  /** The file of the certificate. Default `tls.crt`. */
  readonly certName?: string | undefined;
  /** The file of its key. Default `tls.key`. */
  readonly keyName?: string | undefined;
  /** How long to wait for both to be there, in milliseconds. Default 0: as long as it takes. */
  readonly waitMs?: number | undefined;
}

/** Options of {@link followFolder}. */
export interface FollowFolderOptions extends CertificateFolder {
  /** What it is for: `webhooks`. */
  readonly purpose: string;
  /** Called with what to serve from now on. */
  readonly serve: (pair: KeyPair) => void;
  readonly clock: Clock;
  readonly log: Logger;
  /** How often to look whether it was renewed, in milliseconds. Default 10,000. */
  readonly pollMs?: number | undefined;
}

const firstLookMs = 1_000;
const toldEveryMs = 10_000;

/**
 * Serves the certificate of a folder, and its successors, until the signal aborts.
 *
 * Until there is one it looks every second, and says every ten that it waits. Rejects with a `CertificateWaitError` when
 * there is none within `waitMs`; files that go bad later are told, and what was served before stays.
 */
export async function followFolder(options: FollowFolderOptions, signal: AbortSignal): Promise<void> {
  const { folder, certName = "tls.crt", keyName = "tls.key", waitMs = 0, purpose, serve, clock, log } = options;
  const files = new CertificateFiles({
    certPath: join(folder, certName),
    keyPath: join(folder, keyName),
    serve,
    clock,
    onProblem: (error) => log.warn("A certificate cannot be looked after", { purpose, folder, error }),
    ...(options.pollMs === undefined ? {} : { pollMs: options.pollMs }),
  });
  const beganMs = clock.monotonic();
  let toldMs = Number.NEGATIVE_INFINITY;
  for (;;) {
    const cause = await files.sync().then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    if (cause === undefined) break;
    const nowMs = clock.monotonic();
    if (waitMs > 0 && nowMs - beganMs >= waitMs) {
      throw new CertificateWaitError({ folder, certName, keyName, purpose, waitMs }, { cause: cause.error });
    }
    if (nowMs - toldMs >= toldEveryMs) {
      log.warn("Waiting for a certificate", { purpose, folder, certName, keyName, error: cause.error });
      toldMs = nowMs;
    }
    try {
      await clock.sleep(firstLookMs, signal);
    } catch {
      return;
    }
  }
  await files.run(signal);
}
