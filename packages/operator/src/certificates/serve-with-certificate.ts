import type { KeyPair } from "@homeostat/x509";

/** A TLS server that is listening. */
export interface CertifiedServer {
  /** Uses the certificate for new connections. */
  renew(pair: KeyPair): void;
  close(): PromiseLike<void>;
}

/** Options of {@link serveWithCertificate}. */
export interface ServeWithCertificateOptions {
  /** Calls `serve` with the certificate and each renewal until the signal aborts. Rejects if it cannot provide the first. */
  readonly follow: (serve: (pair: KeyPair) => void, signal: AbortSignal) => Promise<void>;
  /** Starts the server with the first certificate. */
  readonly open: (pair: KeyPair) => Promise<CertifiedServer>;
}

/**
 * Runs a TLS server with a certificate that is renewed, until the signal aborts.
 *
 * The server and the certificate loop end together. If the server cannot listen, the loop is stopped before this rejects: left
 * running, it would keep the process alive and use a client that the manager has already closed.
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
      // The certificate may have been renewed while the server started to listen.
      if (latest !== undefined && latest !== certificate) renew(latest);
      await following;
    } finally {
      renew = () => undefined;
      await server.close();
    }
  } finally {
    ending.abort();
    // A failure of the loop was already thrown above. After another failure, only wait until it has ended.
    await following.catch(() => undefined);
  }
}
