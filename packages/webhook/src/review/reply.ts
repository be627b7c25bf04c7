import { HomeostatError } from "@homeostat/core";
import { type ReviewError, ReviewTooLargeError } from "../errors.ts";

/** A response over HTTP. The body is JSON. */
export interface Reply extends ReplyReport {
  readonly status: number;
  readonly body: string;
}

/** A response whose body is in pieces, so that a long one is neither joined nor encoded at once. */
export interface PiecewiseReply extends ReplyReport {
  readonly status: number;
  readonly body: string | readonly Uint8Array[];
  /** Seconds after which the API server may retry; it does so by itself, within the timeout of the webhook. */
  readonly retryAfterSeconds?: number;
}

/** Notes about a request for the log. They are not part of the response. */
export interface ReplyReport {
  /** Errors that the webhook's own functions threw; the first ones where there are many. */
  readonly failures?: readonly unknown[];
  /** Notes for the log, such as an ignored stash; the first ones where there are many. */
  readonly notes?: readonly string[];
}

/** Returns the response to a body that is no valid review: an API server shows its message to the user. */
export function badRequest(error: ReviewError): Reply {
  return error instanceof ReviewTooLargeError
    ? statusReply({ status: 413, reason: "RequestEntityTooLarge", message: error.message })
    : statusReply({ status: 400, reason: "BadRequest", message: error.message });
}

/** Returns a response that is a Kubernetes Status, for everything that is no review. */
export function statusReply({ status, reason, message }: { status: number; reason: string; message: string }): Reply {
  const body = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, reason, code: status };
  return { status, body: JSON.stringify(body) };
}

/**
 * Returns the response when a limit on requests in flight is reached.
 *
 * An API server retries a webhook by itself when the response has `Retry-After`, within the timeout of the webhook.
 */
export function busyReply(): PiecewiseReply {
  const message = "the webhook has too many requests in flight; retry after a second";
  return { ...statusReply({ status: 429, reason: "TooManyRequests", message }), retryAfterSeconds: 1 };
}

/** Returns the message of an error for users: own errors are written for them, all others may hold anything. */
export function publicMessage(error: unknown): string {
  return error instanceof HomeostatError ? error.message : "the webhook failed; its log has the reason";
}
