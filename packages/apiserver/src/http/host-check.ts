import { isIPv4 } from "node:net";
import { normalHost } from "@homeostat/x509";
import { failure, type ServerStatus } from "../status/status.ts";

/** Whether a host is this machine and nothing else: `localhost`, 127.0.0.0/8, `::1`. */
export function isLoopback(host: string): boolean {
  // Nearly every request asks for one of these; what follows takes longer than the rest of the head.
  if (host === "127.0.0.1" || host === "localhost") return true;
  const normal = normalHost(host);
  return normal === "localhost" || normal === normalHost("::1") || (isIPv4(normal) && normal.startsWith("127."));
}

/** The host of a `Host` header, without its port; undefined when it is none. */
export function hostOf(header: string): string | undefined {
  const [, bracketed, plain] = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9_.-]+))(?::\d{0,5})?$/i.exec(header) ?? [];
  return bracketed ?? plain;
}

/**
 * Why a request for this host is refused, or undefined when it is served.
 *
 * A page in a browser can make a name of its own point at this machine and speak to whatever listens here. It cannot change
 * the name it asks for.
 */
export function hostProblem(host: string, allowed: ReadonlySet<string>): ServerStatus | undefined {
  if (isLoopback(host) || allowed.has(normalHost(host))) return undefined;
  return failure({
    code: 421,
    reason: "Misdirected",
    message: `this server does not answer for the host "${host}": it was started for this machine only; name the host when the server is started to allow it`,
  });
}
