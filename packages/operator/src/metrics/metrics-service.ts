import type { Clock } from "@homeostat/core";
import {
  type AccessRule,
  type HttpAddress,
  metricsRoute,
  type Service,
  serveHttp,
  type ServiceTools,
} from "@homeostat/runtime";
import { issue, type KeyPair, makeAuthority } from "@homeostat/x509";
import { type CertificateFolder, followFolder } from "../certificates/certificate-folder.ts";
import { serveWithCertificate } from "../certificates/serve-with-certificate.ts";
import { readerGate } from "./reader-gate.ts";

/** Options of {@link secureMetrics}. */
export interface SecureMetricsOptions extends HttpAddress {
  /** Where the certificate comes from. Default: the program makes one that nobody can check. */
  readonly certificate?: CertificateFolder | undefined;
  /** The names that a certificate of its own is for. */
  readonly hosts: readonly string[];
  /** Told the port once metrics are served. */
  readonly onListening?: ((port: number) => void) | undefined;
  /** How often files are looked at, in milliseconds. Default 10,000. */
  readonly pollMs?: number | undefined;
}

/** What it takes to ask who somebody is and what they may do. */
export const reviewAccess: readonly AccessRule[] = [
  { group: "authentication.k8s.io", resource: "tokenreviews", verbs: ["create"] },
  { group: "authorization.k8s.io", resource: "subjectaccessreviews", verbs: ["create"] },
];

/**
 * Metrics over HTTPS, for who shows a token of the cluster and may `get` `/metrics`; in every process.
 *
 * A service of a manager, which serves no metrics itself then.
 */
export function secureMetrics(options: SecureMetricsOptions): (tools: ServiceTools) => Service {
  const { port, host, certificate, onListening, pollMs } = options;
  return ({ unfencedClient, registry, clock, serverClock, log }) => ({
    name: "metrics",
    when: "always",
    access: reviewAccess,
    run: (signal) =>
      serveWithCertificate(
        {
          follow: (serve, inner) =>
            certificate === undefined
              ? followOwn({ hosts: options.hosts, clock: serverClock, serve }, inner)
              : followFolder({ ...certificate, purpose: "metrics", clock, log, pollMs, serve }, inner),
          open: async (first) => {
            const server = await serveHttp({
              port,
              host,
              purpose: "metrics",
              certificate: first,
              guard: readerGate({ client: unfencedClient, clock }),
              routes: [metricsRoute(registry)],
              onError: (error, path) => log.error("A page failed", { path, error }),
            });
            log.info("Serving metrics over HTTPS", {
              port: server.port,
              certificate: certificate === undefined ? "self-signed" : "from files",
            });
            onListening?.(server.port);
            return { renew: (pair) => server.renew(pair), close: () => server[Symbol.asyncDispose]() };
          },
        },
        signal,
      ),
  });
}

const dayMs = 86_400_000;
const validDays = 90;
const renewDays = 30;

/** Makes a certificate, and another one every month, until the signal aborts. */
async function followOwn(
  {
    hosts,
    clock,
    serve,
  }: { readonly hosts: readonly string[]; readonly clock: Clock; readonly serve: (pair: KeyPair) => void },
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    serve(ownCertificate(hosts, clock));
    try {
      await clock.sleep(renewDays * dayMs, signal);
    } catch {
      return;
    }
  }
}

function ownCertificate(hosts: readonly string[], clock: Clock): KeyPair {
  const [commonName = "metrics"] = hosts;
  const now = clock.now();
  // A scraper's clock may be behind.
  const dates = { validFrom: new Date(now - dayMs), validUntil: new Date(now + validDays * dayMs) };
  const authority = makeAuthority({ subject: { commonName: `${commonName} authority` }, ...dates });
  return issue(authority, { subject: { commonName }, hosts, usages: ["server"], ...dates });
}
