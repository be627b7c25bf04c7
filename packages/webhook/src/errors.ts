import { HomeostatError, type JsonLimitError } from "@homeostat/core";

/**
 * Thrown for a body that is not a valid review: not JSON, nested too deeply, or not of the form that an API server
 * sends.
 */
export class ReviewError extends HomeostatError {
  readonly code = "WEBHOOK_REVIEW";

  constructor(problem: string, options?: ErrorOptions) {
    super(`The body is not a valid review: ${problem}.`, options);
  }
}

/** Thrown for a review that exceeds a limit on bytes, nesting, values or objects. Nothing of it was parsed. */
export class ReviewTooLargeError extends ReviewError {
  constructor(problem: string | JsonLimitError) {
    super(
      typeof problem === "string" ? problem : problem.message.replace(/\.$/, ""),
      typeof problem === "string" ? {} : { cause: problem },
    );
  }
}

/** HTTP status and reason of a denied request, as in a Kubernetes `Status`. */
export interface Denial {
  /** HTTP status of the user's request, 400 to 599. Default 403. */
  readonly code?: number;
  /** Reason of the `Status`. Default `Forbidden`. */
  readonly reason?: string;
}

/** Thrown by a webhook function to deny the request as a whole, rather than because of a field. */
export class AdmissionDeniedError extends HomeostatError {
  readonly code = "ADMISSION_DENIED";
  /** HTTP status of the user's request. */
  readonly status: number;
  /** Reason of the `Status`. */
  readonly reason: string;

  constructor(message: string, { code = 403, reason = "Forbidden" }: Denial = {}, options?: ErrorOptions) {
    super(message, options);
    this.status = code >= 400 && code <= 599 ? code : 403;
    this.reason = reason;
  }
}
