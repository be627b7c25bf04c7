import { isIPv4 } from "node:net";
import { normalizeHost } from "@homeostat/x509";
import { failure, type ServerStatus } from "../status/status.ts";

/** Reports whether a host is this machine: `localhost`, 127.0.0.0/8 or `::1`. */
export function isLoopback(host: string): boolean {
  // Fast path for nearly every request: normalizing takes longer than the rest of the header checks.
  if (host === "127.0.0.1" || host === "localhost") return true;
  const normal = normalizeHost(host);
  return normal === "localhost" || normal === normalizeHost("::1") || (isIPv4(normal) && normal.startsWith("127."));
}

/** Returns the host of a `Host` header without its port; undefined if the header is malformed. */
export function hostOf(header: string): string | undefined {
  const [, bracketed, plain] = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9_.-]+))(?::\d{0,5})?$/i.exec(header) ?? [];
  return bracketed ?? plain;
}

/**
 * Returns the refusal of a request for this host; undefined if the host is allowed.
 *
 * Protects against DNS rebinding: a web page can make its own domain resolve to 127.0.0.1, so that the browser lets its
 * scripts talk to a server on this machine. The browser still sends the domain of the page as the host, which is
 * refused here.
 */
export function hostProblem(host: string, allowed: ReadonlySet<string>): ServerStatus | undefined {
  if (isLoopback(host) || allowed.has(normalizeHost(host))) return undefined;
  return failure({
    code: 421,
    reason: "Misdirected",
    message: `requests for host "${host}" are not allowed: the server accepts only this machine and the hosts it was started with`,
  });
}
