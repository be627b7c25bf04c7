import { readFile } from "node:fs/promises";
import { type Clock, systemClock } from "@homeostat/core";
import { checkPair, type KeyPair } from "@homeostat/x509";

/** Certificates that somebody else renews in files, such as cert-manager through a mounted Secret. */
export interface CertificateFilesOptions {
  /** PEM; may hold a chain. Usually `…/tls.crt`. */
  readonly certPath: string;
  /** PEM. Usually `…/tls.key`. */
  readonly keyPath: string;
  /** Called with what to serve from now on: `(pair) => server.reload(pair)`. */
  readonly serve: (certificate: KeyPair) => void;
  readonly clock?: Clock;
  /** How often to look, in milliseconds. Default ten seconds. */
  readonly pollMs?: number;
  /** Is told of files that cannot be read or do not belong together. What was served before stays. */
  readonly onProblem?: (error: unknown) => void;
}

/**
 * Serves a certificate from two files and follows their changes.
 *
 * The files are read again and again rather than watched: a mounted Secret changes by a link two folders up, which a
 * watch on the file does not see. Two files are never replaced at the same moment, so a pair that does not belong
 * together is looked at again and not served.
 *
 * @example
 * const files = new CertificateFiles({ certPath, keyPath, serve: (pair) => server.reload(pair) });
 * await server.listen({ certificate: await files.sync(), port: 9443 });
 * await files.run(signal);
 */
export class CertificateFiles {
  readonly #options: CertificateFilesOptions;
  #inHand: KeyPair | undefined;

  constructor(options: CertificateFilesOptions) {
    this.#options = options;
  }

  /** Looks once. Rejects when the files cannot be read, and with a `CertificateError` when they do not fit. */
  async sync(): Promise<KeyPair> {
    const { certPath, keyPath, serve } = this.#options;
    const [cert, key] = await Promise.all([readFile(certPath, "utf8"), readFile(keyPath, "utf8")]);
    const held = this.#inHand;
    if (held?.cert === cert && held.key === key) return held;
    checkPair({ cert, key });
    serve({ cert, key });
    this.#inHand = { cert, key };
    return this.#inHand;
  }

  /** Looks again and again until the signal aborts. Never rejects. */
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
