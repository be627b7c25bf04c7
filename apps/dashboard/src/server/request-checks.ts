// Requests that another site caused in the user's browser are refused before anything is read for them.
//
// - A page of another site whose name resolves to this address (DNS rebinding) sends its own name as Host.
// - A script of another origin sends its Origin, or `Sec-Fetch-Site: cross-site`. Other ports of the same host are `same-site`.
// - A form of another site can post, but not as JSON, and not with a header of its own.

import type { IncomingMessage } from "node:http";
import { isLoopbackHost } from "../access/loopback-names.ts";
import type { Refusal } from "../api/types.ts";

/** Header that the page sends with every write. A form or an image cannot send it. */
export const writeHeader = "x-homeostat-dashboard";

/** Accepted requests. */
export interface RequestRules {
  /** Values of the `Host` header. */
  readonly hosts: ReadonlySet<string>;
  /** Accepts loopback names with any port: those of a port-forward. */
  readonly isForwarded?: boolean | undefined;
  readonly path: string;
}

/** Returns the reason why a request is refused; undefined if it is accepted. */
export function checkRequest(
  request: Pick<IncomingMessage, "method" | "headers">,
  { hosts, isForwarded = false, path }: RequestRules,
): Refusal | undefined {
  const { method = "GET", headers } = request;
  const host = (headers.host ?? "").toLowerCase();
  if (!hosts.has(host) && !(isForwarded && isLoopbackHost(host)))
    return {
      status: 421,
      message: `This server is not ${host || "a host without a name"}. Use ${[...hosts].join(" or ")}.`,
    };
  const { origin } = headers;
  if (origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`)
    return { status: 403, message: `Requests of the origin ${origin} are not accepted.` };
  const site = headers["sec-fetch-site"];
  const isOwn = site === undefined || site === "same-origin" || site === "none";
  // A link on another page may lead here. The cookie is not sent with it, and the page that is shown loads the data itself.
  const isLink = method === "GET" && headers["sec-fetch-mode"] === "navigate" && !path.startsWith("/api/");
  if (!isOwn && !isLink) return { status: 403, message: "Requests that another site causes are not accepted." };
  if (method === "GET" || method === "HEAD") return undefined;
  if (method !== "POST") return { status: 405, message: `${method} is not supported.` };
  return checkWrite(headers);
}

function checkWrite(headers: IncomingMessage["headers"]): Refusal | undefined {
  if (headers.origin === undefined) return { status: 403, message: "A write requires the header Origin." };
  if (headers[writeHeader] !== "1") return { status: 403, message: `A write requires the header ${writeHeader}: 1.` };
  const type = (headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase();
  return type === "application/json" ? undefined : { status: 415, message: "A write must be application/json." };
}
