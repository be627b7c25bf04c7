import { timeoutStatus } from "../status/refusals.ts";
import { failure, type ServerStatus } from "../status/status.ts";
import type { BufferedResponse } from "./handler.ts";

const escapes: ReadonlyMap<string, string> = new Map([
  ["<", "\\u003c"],
  [">", "\\u003e"],
  ["&", "\\u0026"],
  ["\u2028", "\\u2028"],
  ["\u2029", "\\u2029"],
]);

/** Returns a `Status` as a JSON response, encoded as Go's `encoding/json` does. */
export function statusResponse(
  status: ServerStatus,
  { isPretty = false }: { readonly isPretty?: boolean } = {},
): BufferedResponse {
  const text = JSON.stringify(status, undefined, isPretty ? 2 : 0);
  const safe = text.replace(/[<>&\u2028\u2029]/g, (letter) => escapes.get(letter) ?? letter);
  const { code = status.status === "Success" ? 200 : 500, details: { retryAfterSeconds: retry = 0 } = {} } = status;
  return {
    status: code,
    headers: { "Content-Type": "application/json", ...(retry === 0 ? {} : { "Retry-After": String(retry) }) },
    body: isPretty ? safe : `${safe}\n`,
  };
}

/** Status of a request that exceeded the time limit. */
export const timedOut: ServerStatus = timeoutStatus("request did not complete within the allotted timeout");

/** Status of requests while the server shuts down. */
export const shuttingDown: ServerStatus = failure({
  code: 503,
  reason: "ServiceUnavailable",
  message: "apiserver is shutting down",
  details: { retryAfterSeconds: 1 },
});

/** Status of a request whose handler threw. The error itself appears only in the log of the server. */
export const panicked: ServerStatus = failure({
  code: 500,
  reason: "InternalError",
  message: "This request caused apiserver to panic. Look in the logs for details.",
});
