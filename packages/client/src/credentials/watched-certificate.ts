import { createPrivateKey, X509Certificate } from "node:crypto";
import { CredentialsError } from "./errors.ts";
import type { TextSource } from "./text-source.ts";

/** A certificate and its key, in PEM. */
export interface CertificatePair {
  readonly cert: string;
  readonly key: string;
}

/**
 * A certificate and its key from two texts that somebody else replaces, one after the other.
 *
 * While only one of the two is new they do not belong together, and a TLS connection with them would fail; the last
 * pair that did is used until they do again.
 */
export class WatchedCertificate {
  readonly #cert: TextSource;
  readonly #key: TextSource;
  #good: CertificatePair | undefined;

  constructor(cert: TextSource, key: TextSource) {
    this.#cert = cert;
    this.#key = key;
  }

  async current(): Promise<CertificatePair> {
    const pair = await this.#read();
    if (this.#isGood(pair)) return (this.#good = pair);
    // Half of a rotation, or a file read in the middle of it: the other half may be there by now.
    this.forget();
    const again = await this.#read();
    if (this.#isGood(again)) return (this.#good = again);
    this.forget();
    if (this.#good !== undefined) return this.#good;
    throw new CredentialsError(
      "The client certificate and the client key do not belong together. Check client-certificate and client-key.",
    );
  }

  /** The pair, if both texts are known and are those that belong together. */
  known(): CertificatePair | undefined {
    const good = this.#good;
    return good !== undefined && this.#cert.known() === good.cert && this.#key.known() === good.key ? good : undefined;
  }

  forget(): void {
    this.#cert.forget();
    this.#key.forget();
  }

  async #read(): Promise<CertificatePair> {
    const [cert, key] = await Promise.all([this.#cert.text(), this.#key.text()]);
    const isSame = cert === this.#good?.cert && key === this.#good.key;
    return isSame && this.#good !== undefined ? this.#good : { cert, key };
  }

  #isGood(pair: CertificatePair): boolean {
    return pair === this.#good || isMatching(pair);
  }
}

function isMatching({ cert, key }: CertificatePair): boolean {
  let certificate;
  let privateKey;
  try {
    certificate = new X509Certificate(cert);
    privateKey = createPrivateKey(key);
  } catch {
    // Not for us to judge: TLS will say what is wrong with them.
    return true;
  }
  return certificate.checkPrivateKey(privateKey);
}
