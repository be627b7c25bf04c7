import { cutText, oneLine } from "../value/text.ts";
import { rowOfAnswer } from "./answer-table.ts";
import { type ErrorClass, HomeostatError } from "./error.ts";
import type { FailureRow, WriteOutcome } from "./failure-row.ts";
import type { StatusCause, StatusDetails } from "./status-body.ts";

/** The request that an answer belongs to. */
export interface ApiRequest {
  /** The HTTP method: `"GET"`. */
  readonly method: string;
  /** The path of the URL, without host and query: these may hold secrets. */
  readonly path: string;
}

/** What an {@link ApiError} is made of. */
export interface ApiFailure {
  /** The HTTP status. */
  readonly status: number;
  /** Kubernetes' word for what happened: `"NotFound"`. Empty when the answer had none and the status implies none. */
  readonly reason: string;
  /** What the server said. Empty when it said nothing. */
  readonly serverMessage: string;
  readonly causes: readonly StatusCause[];
  readonly details: StatusDetails;
  /** Whether the answer was a `Status` of an API server, rather than a text of something on the way. */
  readonly hasStatus: boolean;
  /** How long the server asks to wait before the next try. */
  readonly retryAfterMs?: number | undefined;
  readonly request?: ApiRequest | undefined;
}

/**
 * Thrown for every answer of an API server that is no success; its subclasses stand for the well-known ones.
 *
 * The message has the request, what the server said, and what to do. Whether a retry can help follows from one table,
 * by the reason first and by the status second.
 */
export class ApiError extends HomeostatError {
  readonly code: string = "API";
  /** The HTTP status. */
  readonly status: number;
  /** Kubernetes' word for what happened, such as `NotFound`; empty when there is none. */
  readonly reason: string;
  /** What the server said, cut if very long. */
  readonly serverMessage: string;
  /** What is wrong in detail: for an invalid object, each field. */
  readonly causes: readonly StatusCause[];
  /** Which object it is about, as far as the server tells it. */
  readonly details: StatusDetails;
  /** Whether the answer was a `Status` of an API server, rather than a text of something on the way. */
  readonly hasStatus: boolean;
  /** How long the server asks to wait before the next try. */
  readonly retryAfterMs: number | undefined;
  readonly request: ApiRequest | undefined;
  /** What became of the request if it was a write. */
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

/** Only an API server's own word counts; from anything else on the way, the status is all there is to go by. */
function rowOf(failure: ApiFailure): FailureRow {
  return rowOfAnswer(failure.hasStatus ? failure : { status: failure.status });
}

function describe(failure: ApiFailure): string {
  const { status, reason, serverMessage, request } = failure;
  const { meaning, advice } = rowOf(failure);
  const place = request === undefined ? "" : `${request.method} ${cutText(request.path, 300)}: `;
  const said = oneLine(serverMessage, 1000).replace(/\.$/, "") || meaning;
  return `${place}${said} (${[status, reason].filter((part) => part !== "").join(" ")}). ${advice}`;
}
