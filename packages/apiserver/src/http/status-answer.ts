import { timeoutStatus } from "../status/refusals.ts";
import { failure, type ServerStatus } from "../status/status.ts";
import type { WholeAnswer } from "./handler.ts";

const escapes: ReadonlyMap<string, string> = new Map([
  ["<", "\\u003c"],
  [">", "\\u003e"],
  ["&", "\\u0026"],
  ["\u2028", "\\u2028"],
  ["\u2029", "\\u2029"],
]);

/** A `Status` as an answer in JSON, written as the real server writes it. */
export function statusAnswer(
  status: ServerStatus,
  { isPretty = false }: { readonly isPretty?: boolean } = {},
): WholeAnswer {
  const text = JSON.stringify(status, undefined, isPretty ? 2 : 0);
  const safe = text.replace(/[<>&\u2028\u2029]/g, (letter) => escapes.get(letter) ?? letter);
  const { code = status.status === "Success" ? 200 : 500, details: { retryAfterSeconds: retry = 0 } = {} } = status;
  return {
    status: code,
    headers: { "Content-Type": "application/json", ...(retry === 0 ? {} : { "Retry-After": String(retry) }) },
    body: isPretty ? safe : `${safe}\n`,
  };
}

/** What the server says when time is up. */
export const timedOut: ServerStatus = timeoutStatus("request did not complete within the allotted timeout");

/** What the server says while it stops. */
export const shuttingDown: ServerStatus = failure({
  code: 503,
  reason: "ServiceUnavailable",
  message: "apiserver is shutting down",
  details: { retryAfterSeconds: 1 },
});

/** What the server says when its own code fails; the reason stands in its log only. */
export const panicked: ServerStatus = failure({
  code: 500,
  reason: "InternalError",
  message: "This request caused apiserver to panic. Look in the logs for details.",
});
