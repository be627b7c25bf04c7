import { X509Certificate } from "node:crypto";
import { createSecureContext, type SecureContext } from "node:tls";
import { CertificateError } from "@homeostat/x509";

/** A certificate with its key, as PEM texts. */
export interface ServerCertificate {
  /** Names the certificate in errors: the Secret or file that it comes from. */
  readonly source: string;
  /** The certificate of the server, followed by those of intermediate authorities. */
  readonly cert: string;
  readonly key: string;
}

interface Loaded {
  readonly x509: X509Certificate;
  readonly context: SecureContext;
}

/**
 * The certificates of TLS listeners. A client gets the first one that is valid for the server name that it asks for, or the first of all.
 *
 * Certificates can be replaced while listeners are open; connections that are open keep theirs.
 */
export class ServerCertificates {
  readonly #listeners = new Set<(certificate: ServerCertificate) => void>();
  #first: ServerCertificate;
  #loaded: readonly Loaded[];

  /** Throws a `CertificateError` if the list is empty, or a certificate does not fit its key. */
  constructor(certificates: readonly ServerCertificate[]) {
    [this.#first, this.#loaded] = load(certificates);
  }

  /** Certificate of clients that ask for no name, or for one that no certificate is valid for. */
  get first(): ServerCertificate {
    return this.#first;
  }

  /** Replaces all certificates. Throws a `CertificateError` and keeps the old ones if one of the new ones is invalid. */
  replace(certificates: readonly ServerCertificate[]): void {
    [this.#first, this.#loaded] = load(certificates);
    for (const listener of this.#listeners) listener(this.#first);
  }

  /** Returns the certificate for a server name. */
  contextFor(serverName: string): SecureContext | undefined {
    const found = this.#loaded.find(({ x509 }) => x509.checkHost(serverName) !== undefined);
    return (found ?? this.#loaded[0])?.context;
  }

  /** Calls a function with the first certificate after every change, until the returned function is called. */
  onChange(listener: (first: ServerCertificate) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

function load(certificates: readonly ServerCertificate[]): [ServerCertificate, readonly Loaded[]] {
  const [first] = certificates;
  if (first === undefined) throw new CertificateError("A TLS listener has no certificate. Pass at least one.");
  return [first, certificates.map(loadOne)];
}

function loadOne({ source, cert, key }: ServerCertificate): Loaded {
  try {
    return { x509: new X509Certificate(cert), context: createSecureContext({ cert, key }) };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : "unknown reason";
    throw new CertificateError(
      `The certificate of ${source} cannot be used: ${reason}. Check that it is PEM and belongs to its key.`,
      { cause },
    );
  }
}
