import { cutText, oneLine } from "../value/text.ts";
import { rowOfResponse } from "./response-table.ts";
import { type ErrorClass, HomeostatError } from "../errors/error.ts";
import type { FailureRow, WriteOutcome } from "./failure-row.ts";
import type { StatusCause, StatusDetails } from "./status-body.ts";

/** The request that an error belongs to. */
export interface ApiRequest {
  /** The HTTP method: `"GET"`. */
  readonly method: string;
  /** The path of the URL, without host and query, which may contain secrets. */
  readonly path: string;
}

/** The input of an {@link ApiError}. */
export interface ApiFailure {
  /** The HTTP status. */
  readonly status: number;
  /** The reason of the `Status`: `"NotFound"`. Empty if the response has none and the status implies none. */
  readonly reason: string;
  /** The message of the server; may be empty. */
  readonly serverMessage: string;
  readonly causes: readonly StatusCause[];
  readonly details: StatusDetails;
  /** True if the body was a `Status` of an API server. False if it was something else, such as the error page of a proxy. */
  readonly hasStatus: boolean;
  /** The time that the server asks to wait before a retry. */
  readonly retryAfterMs?: number | undefined;
  readonly request?: ApiRequest | undefined;
}

/**
 * Thrown for every error response of an API server. There are subclasses for the well-known reasons.
 *
 * The message contains the request, the message of the server and what to do. Whether a retry can help is looked up in one table, by
 * the reason first and by the status second.
 */
export class ApiError extends HomeostatError {
  readonly code: string = "API";
  /** The HTTP status. */
  readonly status: number;
  /** The reason of the `Status`, such as `NotFound`; empty if there is none. */
  readonly reason: string;
  /** The message of the server, truncated if very long. */
  readonly serverMessage: string;
  /** The details of the failure: for an invalid object, one cause per field. */
  readonly causes: readonly StatusCause[];
  /** The object of the failure, as far as the server names it. */
  readonly details: StatusDetails;
  /** True if the body was a `Status` of an API server. False if it was something else, such as the error page of a proxy. */
  readonly hasStatus: boolean;
  /** The time that the server asks to wait before a retry. */
  readonly retryAfterMs: number | undefined;
  readonly request: ApiRequest | undefined;
  /** The outcome of the request if it was a write. */
  readonly outcome: WriteOutcome;
  readonly #class: ErrorClass;

  constructor(failure: ApiFailure, options?: ErrorOptions) {
    super(describe(failure), options);
    this.status = failure.status;
    this.reason = failure.reason;
    this.serverMessage = failure.serverMessage;
    this.causes = failure.causes;
    this.details = failure.details;
    this.hasStatus = failure.hasStatus;
    this.retryAfterMs = failure.retryAfterMs;
    this.request = failure.request;
    const { errorClass, outcome } = rowOf(failure);
    this.outcome = outcome;
    this.#class = errorClass;
  }

  override get errorClass(): ErrorClass {
    return this.#class;
  }

  override get retryable(): boolean {
    return this.#class !== "terminal";
  }
}

/** Looks up the failure. Reason and causes count only in a `Status` of an API server; otherwise only the status counts. */
function rowOf(failure: ApiFailure): FailureRow {
  return rowOfResponse(failure.hasStatus ? failure : { status: failure.status });
}

function describe(failure: ApiFailure): string {
  const { status, reason, serverMessage, request } = failure;
  const { meaning, advice } = rowOf(failure);
  const prefix = request === undefined ? "" : `${request.method} ${cutText(request.path, 300)}: `;
  const text = oneLine(serverMessage, 1000).replace(/\.$/, "") || meaning;
  return `${prefix}${text} (${[status, reason].filter((part) => part !== "").join(" ")}). ${advice}`;
}
