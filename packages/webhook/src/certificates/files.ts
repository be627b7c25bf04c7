import { readFile } from "node:fs/promises";
import { type Clock, systemClock } from "@homeostat/core";
import { checkPair, type KeyPair } from "@homeostat/x509";

/** Options of {@link CertificateFiles}. */
export interface CertificateFilesOptions {
  /** Path of the certificate or certificate chain, PEM. Usually `…/tls.crt`. */
  readonly certPath: string;
  /** Path of the private key, PEM. Usually `…/tls.key`. */
  readonly keyPath: string;
  /** Called with the certificate to serve from now on: `(pair) => server.reload(pair)`. */
  readonly serve: (certificate: KeyPair) => void;
  readonly clock?: Clock;
  /** Polling interval in milliseconds. Default ten seconds. */
  readonly pollMs?: number;
  /** Called with the error when the files cannot be read or do not match. The previous certificate remains in use. */
  readonly onProblem?: (error: unknown) => void;
}

/**
 * Serves a certificate from two files that are renewed externally, such as by cert-manager through a mounted Secret.
 *
 * The files are polled rather than watched: the kubelet updates a mounted Secret by switching a symbolic link two
 * directories up, which a watch on the file does not report. The two files are not replaced atomically, so a pair that
 * does not match is not served and is read again at the next poll.
 *
 * @example
 * const files = new CertificateFiles({ certPath, keyPath, serve: (pair) => server.reload(pair) });
 * await server.listen({ certificate: await files.sync(), port: 9443 });
 * await files.run(signal);
 */
export class CertificateFiles {
  readonly #options: CertificateFilesOptions;
  #served: KeyPair | undefined;

  constructor(options: CertificateFilesOptions) {
    this.#options = options;
  }

  /** Reads the files once. Rejects if they cannot be read, and with a `CertificateError` if they do not match. */
  async sync(): Promise<KeyPair> {
    const { certPath, keyPath, serve } = this.#options;
    const [cert, key] = await Promise.all([readFile(certPath, "utf8"), readFile(keyPath, "utf8")]);
    const served = this.#served;
    if (served?.cert === cert && served.key === key) return served;
    checkPair({ cert, key });
    serve({ cert, key });
    this.#served = { cert, key };
    return this.#served;
  }

  /** Polls the files until the signal aborts. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock = systemClock, pollMs = 10_000, onProblem } = this.#options;
    while (!signal.aborted) {
      try {
        await this.sync();
      } catch (error) {
        onProblem?.(error);
      }
      try {
        await clock.sleep(pollMs, signal);
      } catch {
        return;
      }
    }
  }
}
