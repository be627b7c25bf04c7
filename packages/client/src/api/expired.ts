import { type ApiError, type ApiFailure, ExpiredError, GoneError } from "@homeostat/core";

/**
 * Thrown when the resource version or the continue token of a list is too old (410).
 *
 * List again from the beginning, or continue with `inconsistentContinue` instead of the token: the remaining pages then show a
 * newer state than the pages before, so objects that were created or deleted in between may be missing or appear twice.
 */
export class PageExpiredError extends ExpiredError {
  /** The token that continues the list at a newer state; undefined if the server returned none. */
  readonly inconsistentContinue: string | undefined;

  constructor(error: ExpiredError, inconsistentContinue: string | undefined) {
    super(error);
    this.inconsistentContinue = inconsistentContinue;
  }
}

/** Maps the failure of a request with a resource version: a 410 is always about that version. */
export function expiredFailure(error: ApiError): Error {
  return error instanceof GoneError ? expired(error) : error;
}

/** Converts a 410 about a resource version to an `ExpiredError`. Servers use both reasons, `Gone` and `Expired`. */
export function expired(error: GoneError): ExpiredError {
  if (error instanceof ExpiredError) return error;
  const { status, serverMessage, causes, details, hasStatus, retryAfterMs, request } = error;
  const failure: ApiFailure = {
    status,
    serverMessage,
    causes,
    details,
    hasStatus,
    retryAfterMs,
    request,
    reason: "Expired",
  };
  return new ExpiredError(failure);
}
