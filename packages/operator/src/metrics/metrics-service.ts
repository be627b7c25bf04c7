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
  /** The directory of the certificate. Default: a self-signed certificate, which clients cannot verify. */
  readonly certificate?: CertificateFolder | undefined;
  /** The host names of a self-signed certificate. */
  readonly hosts: readonly string[];
  /** Called with the port once metrics are served. */
  readonly onListening?: ((port: number) => void) | undefined;
  /** The interval at which certificate files are checked for a renewal, in milliseconds. Default 10,000. */
  readonly pollMs?: number | undefined;
}

/** The permissions to authenticate and authorize clients with the API server. */
export const reviewAccess: readonly AccessRule[] = [
  { group: "authentication.k8s.io", resource: "tokenreviews", verbs: ["create"] },
  { group: "authorization.k8s.io", resource: "subjectaccessreviews", verbs: ["create"] },
];

/**
 * Returns a service that serves metrics over HTTPS in every replica, to clients whose token is authorized to `get` `/metrics`.
 *
 * It replaces the manager's own metrics server, which must be turned off.
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
              ? followSelfSigned({ hosts: options.hosts, clock: serverClock, serve }, inner)
              : followFolder({ ...certificate, purpose: "metrics", clock, log, pollMs, serve }, inner),
          open: async (first) => {
            const server = await serveHttp({
              port,
              host,
              purpose: "metrics",
              certificate: first,
              guard: readerGate({ client: unfencedClient, clock }),
              routes: [metricsRoute(registry)],
              onError: (error, path) => log.error("HTTP handler failed", { path, error }),
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

/** Serves a self-signed certificate, and a new one every 30 days, until the signal aborts. */
async function followSelfSigned(
  {
    hosts,
    clock,
    serve,
  }: { readonly hosts: readonly string[]; readonly clock: Clock; readonly serve: (pair: KeyPair) => void },
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    serve(selfSignedCertificate(hosts, clock));
    try {
      await clock.sleep(renewDays * dayMs, signal);
    } catch {
      return;
    }
  }
}

function selfSignedCertificate(hosts: readonly string[], clock: Clock): KeyPair {
  const [commonName = "metrics"] = hosts;
  const now = clock.now();
  // Valid since yesterday, because the clock of the scraper may be behind.
  const dates = { validFrom: new Date(now - dayMs), validUntil: new Date(now + validDays * dayMs) };
  const authority = makeAuthority({ subject: { commonName: `${commonName} authority` }, ...dates });
  return issue(authority, { subject: { commonName }, hosts, usages: ["server"], ...dates });
}
