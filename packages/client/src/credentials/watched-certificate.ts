import { createPrivateKey, X509Certificate } from "node:crypto";
import { CredentialsError } from "./errors.ts";
import type { TextSource } from "./text-source.ts";

/** A certificate and its key, in PEM. */
export interface CertificatePair {
  readonly cert: string;
  readonly key: string;
}

/**
 * A certificate and its key from two files that are rotated externally, one after the other.
 *
 * While only one of the two has been replaced, they do not match and a TLS handshake with them would fail. The last matching
 * pair is used until the rotation is complete.
 */
export class WatchedCertificate {
  readonly #cert: TextSource;
  readonly #key: TextSource;
  #valid: CertificatePair | undefined;

  constructor(cert: TextSource, key: TextSource) {
    this.#cert = cert;
    this.#key = key;
  }

  async current(): Promise<CertificatePair> {
    const pair = await this.#read();
    if (this.#isValid(pair)) return (this.#valid = pair);
    // Read in the middle of a rotation: the other file may have been replaced by now.
    this.forget();
    const retried = await this.#read();
    if (this.#isValid(retried)) return (this.#valid = retried);
    this.forget();
    if (this.#valid !== undefined) return this.#valid;
    throw new CredentialsError(
      "The client certificate does not match the client key. Check client-certificate and client-key.",
    );
  }

  /** Returns the pair without waiting; undefined if a file must be read first or has changed. */
  cached(): CertificatePair | undefined {
    const valid = this.#valid;
    return valid !== undefined && this.#cert.cached() === valid.cert && this.#key.cached() === valid.key
      ? valid
      : undefined;
  }

  forget(): void {
    this.#cert.forget();
    this.#key.forget();
  }

  async #read(): Promise<CertificatePair> {
    const [cert, key] = await Promise.all([this.#cert.text(), this.#key.text()]);
    const isSame = cert === this.#valid?.cert && key === this.#valid.key;
    return isSame && this.#valid !== undefined ? this.#valid : { cert, key };
  }

  #isValid(pair: CertificatePair): boolean {
    return pair === this.#valid || isMatching(pair);
  }
}

function isMatching({ cert, key }: CertificatePair): boolean {
  let certificate;
  let privateKey;
  try {
    certificate = new X509Certificate(cert);
    privateKey = createPrivateKey(key);
  } catch {
    // Not parseable here: let the TLS handshake report the problem.
    return true;
  }
  return certificate.checkPrivateKey(privateKey);
}
