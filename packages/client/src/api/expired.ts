import { type ApiError, type ApiFailure, ExpiredError, GoneError } from "@homeostat/core";

/**
 * Thrown when the version that a list or its page token asks for is too old (410).
 *
 * List again from the beginning. Or go on with `inconsistentContinue` in place of the token: the rest then shows a newer
 * state than the pages before it, so what moved in between may be missing or there twice.
 */
export class PageExpiredError extends ExpiredError {
  /** The token with which the list goes on at a newer state; undefined when the server offers none. */
  readonly inconsistentContinue: string | undefined;

  constructor(error: ExpiredError, inconsistentContinue: string | undefined) {
    super(error);
    this.inconsistentContinue = inconsistentContinue;
  }
}

/** For requests that name a version: a 410 is always about that. */
export function expiredFailure(error: ApiError): Error {
  return error instanceof GoneError ? expired(error) : error;
}

/** A 410 about a version, under the one name for it: servers say both `Gone` and `Expired`. */
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
