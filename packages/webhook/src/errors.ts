import { HomeostatError, type JsonLimitError } from "@homeostat/core";

/** Thrown while reading a review that is none: not JSON, too deep, or not of the shape an API server sends. */
export class ReviewError extends HomeostatError {
  readonly code = "WEBHOOK_REVIEW";

  constructor(problem: string, options?: ErrorOptions) {
    super(`The body is no review that can be answered: ${problem}.`, options);
  }
}

/**
 * Thrown while reading a review that exceeds a limit on bytes, nesting, values or objects. Nothing of it was parsed.
 */
export class ReviewTooLargeError extends ReviewError {
  constructor(problem: string | JsonLimitError) {
    super(
      typeof problem === "string" ? problem : problem.message.replace(/\.$/, ""),
      typeof problem === "string" ? {} : { cause: problem },
    );
  }
}

/** Why an admission webhook says no, in the words of a Kubernetes status. */
export interface Denial {
  /** The HTTP status that the user's request ends with, 400 to 599. Default 403. */
  readonly code?: number;
  /** Kubernetes' word for it. Default `Forbidden`. */
  readonly reason?: string;
}

/** Throw this from a webhook's own function to say no as a whole, rather than about a field. */
export class AdmissionDeniedError extends HomeostatError {
  readonly code = "ADMISSION_DENIED";
  /** The HTTP status that the user's request ends with. */
  readonly status: number;
  /** Kubernetes' word for it. */
  readonly reason: string;

  constructor(message: string, { code = 403, reason = "Forbidden" }: Denial = {}, options?: ErrorOptions) {
    super(message, options);
    this.status = code >= 400 && code <= 599 ? code : 403;
    this.reason = reason;
  }
}
