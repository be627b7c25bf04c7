import { HomeostatError } from "@homeostat/core";
import { type ReviewError, ReviewTooLargeError } from "../errors.ts";

/** An HTTP response with a JSON body. */
export interface WebhookResponse extends WebhookResponseReport {
  readonly status: number;
  readonly body: string;
}

/** A response whose body is in chunks, so that a long one is neither joined nor encoded at once. */
export interface ChunkedResponse extends WebhookResponseReport {
  readonly status: number;
  readonly body: string | readonly Uint8Array[];
  /** Value of `Retry-After` in seconds. The API server retries by itself, within the timeout of the webhook. */
  readonly retryAfterSeconds?: number;
}

/** Information about a request for the log, not part of the response. */
export interface WebhookResponseReport {
  /** Errors that the webhook functions threw; only the first ones if there are many. */
  readonly failures?: readonly unknown[];
  /** Notes for the log, such as an ignored stash; only the first ones if there are many. */
  readonly notes?: readonly string[];
}

/** Returns the response to a body that is not a valid review. The API server shows its message to the user. */
export function badRequest(error: ReviewError): WebhookResponse {
  return error instanceof ReviewTooLargeError
    ? statusResponse({ status: 413, reason: "RequestEntityTooLarge", message: error.message })
    : statusResponse({ status: 400, reason: "BadRequest", message: error.message });
}

/** Returns a Kubernetes `Status` as a response, for requests that are not reviews. */
export function statusResponse({
  status,
  reason,
  message,
}: {
  status: number;
  reason: string;
  message: string;
}): WebhookResponse {
  const body = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, reason, code: status };
  return { status, body: JSON.stringify(body) };
}

/**
 * Returns the response when a limit on requests in flight is reached.
 *
 * An API server retries a webhook by itself if the response has `Retry-After`, within the timeout of the webhook.
 */
export function busyResponse(): ChunkedResponse {
  const message = "the webhook has too many requests in flight; retry after a second";
  return { ...statusResponse({ status: 429, reason: "TooManyRequests", message }), retryAfterSeconds: 1 };
}

/**
 * Returns the message of an error for users. Errors of this project are written for users; others may contain anything.
 */
export function publicMessage(error: unknown): string {
  return error instanceof HomeostatError ? error.message : "the webhook failed; see its log for the reason";
}
