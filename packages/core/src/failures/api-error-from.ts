import { ApiError, type ApiFailure, type ApiRequest } from "./api-error.ts";
import * as errors from "./api-errors.ts";
import { type ResponseHeaders, clampDelay, readRetryAfter } from "./retry-after.ts";
import { readStatusBody } from "./status-body.ts";

/** An error response. */
export interface FailedResponse {
  /** The HTTP status. */
  readonly status: number;
  /** The body: parsed JSON, text, bytes, or undefined. It is not trusted. */
  readonly body?: unknown;
  /** The headers; only `Retry-After` is read. */
  readonly headers?: ResponseHeaders | undefined;
  readonly request?: ApiRequest | undefined;
  /** The time of day in milliseconds since the epoch, to evaluate a date in `Retry-After`. */
  readonly now?: number | undefined;
}

type ApiErrorClass = new (failure: ApiFailure, options?: ErrorOptions) => ApiError;

const byReason: ReadonlyMap<string, ApiErrorClass> = new Map<string, ApiErrorClass>([
  ["BadRequest", errors.BadRequestError],
  ["Unauthorized", errors.UnauthorizedError],
  ["Forbidden", errors.ForbiddenError],
  ["NotFound", errors.NotFoundError],
  ["MethodNotAllowed", errors.MethodNotAllowedError],
  ["NotAcceptable", errors.NotAcceptableError],
  ["AlreadyExists", errors.AlreadyExistsError],
  ["Conflict", errors.ConflictError],
  ["Gone", errors.GoneError],
  ["Expired", errors.ExpiredError],
  ["RequestEntityTooLarge", errors.RequestTooLargeError],
  ["UnsupportedMediaType", errors.UnsupportedMediaTypeError],
  ["Invalid", errors.InvalidError],
  ["TooManyRequests", errors.TooManyRequestsError],
  ["InternalError", errors.InternalServerError],
  ["StorageReadError", errors.InternalServerError],
  ["ServerTimeout", errors.ServerTimeoutError],
  ["ServiceUnavailable", errors.ServiceUnavailableError],
  ["Timeout", errors.ApiTimeoutError],
]);

/** The reason that a status implies if the body has none. */
const reasonOfStatus: ReadonlyMap<number, string> = new Map([
  [400, "BadRequest"],
  [401, "Unauthorized"],
  [403, "Forbidden"],
  [404, "NotFound"],
  [405, "MethodNotAllowed"],
  [406, "NotAcceptable"],
  [408, "Timeout"],
  [409, "Conflict"],
  [410, "Gone"],
  [413, "RequestEntityTooLarge"],
  [415, "UnsupportedMediaType"],
  [422, "Invalid"],
  [429, "TooManyRequests"],
  [500, "InternalError"],
  [502, "ServiceUnavailable"],
  [503, "ServiceUnavailable"],
  [504, "Timeout"],
]);

/**
 * Builds the error for an error response. Never throws, whatever the body is.
 *
 * The class is determined by the reason in the body if it is one of Kubernetes, otherwise by the status.
 *
 * @example
 * if (!response.ok) throw apiErrorFrom({ status: response.status, body: await response.text(), request });
 */
export function apiErrorFrom({ status, body, headers, request, now }: FailedResponse): ApiError {
  const { isStatus, message, reason: given, details, causes, retryAfterSeconds } = readStatusBody(body);
  // Only a Status has a reason. Other JSON may have a field of that name.
  const reason = isStatus && given !== "" ? given : impliedReason(status, request?.method);
  const retryAfterMs = longest(
    retryAfterSeconds === undefined ? undefined : clampDelay(retryAfterSeconds * 1000),
    readRetryAfter(headers, now),
  );
  const failure: ApiFailure = {
    status,
    reason,
    serverMessage: message,
    causes,
    details,
    hasStatus: isStatus,
    retryAfterMs,
    request,
  };
  const Class = byReason.get(reason) ?? byReason.get(impliedReason(status, request?.method)) ?? ApiError;
  return new Class(failure);
}

/** Returns the reason that a status implies. A conflict on creation can only be about the name. */
function impliedReason(status: number, method: string | undefined): string {
  if (status === 409 && method?.toUpperCase() === "POST") return "AlreadyExists";
  return reasonOfStatus.get(status) ?? "";
}

function longest(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.max(a, b);
}
