import type { KeyPair } from "@homeostat/x509";

/** A TLS server while it listens. */
export interface CertifiedServer {
  /** Uses another certificate from the next connection on. */
  renew(pair: KeyPair): void;
  close(): PromiseLike<void>;
}

/** Options of {@link serveWithCertificate}. */
export interface ServeWithCertificateOptions {
  /** Provides the certificate and its successors until the signal aborts. Rejects when it cannot provide the first. */
  readonly follow: (serve: (pair: KeyPair) => void, signal: AbortSignal) => Promise<void>;
  /** Starts the server with the first certificate. */
  readonly open: (pair: KeyPair) => Promise<CertifiedServer>;
}

/**
 * Runs a TLS server with a certificate that is renewed, until the signal aborts.
 *
 * Server and certificate loop end together. A server that cannot listen rejects, and the loop has ended by then: left
 * running, it would keep the process alive and go on with a client that the manager has closed.
 */
export async function serveWithCertificate(
  { follow, open }: ServeWithCertificateOptions,
  signal: AbortSignal,
): Promise<void> {
  const ending = new AbortController();
  let latest: KeyPair | undefined;
  let renew = (_pair: KeyPair): void => undefined;
  let provideFirst = (_pair: KeyPair): void => undefined;
  const first = new Promise<KeyPair>((resolve) => (provideFirst = resolve));
  const following = follow(
    (pair) => {
      latest = pair;
      provideFirst(pair);
      renew(pair);
    },
    AbortSignal.any([signal, ending.signal]),
  );
  try {
    const certificate = await Promise.race([first, following.then(() => undefined)]);
    if (certificate === undefined) return;
    const server = await open(certificate);
    try {
      renew = (pair) => server.renew(pair);
      // A successor may have come while the server started to listen.
      if (latest !== undefined && latest !== certificate) renew(latest);
      await following;
    } finally {
      renew = () => undefined;
      await server.close();
    }
  } finally {
    ending.abort();
    // A failure of the loop was thrown above; after another failure, its end is all that matters.
    await following.catch(() => undefined);
  }
}
