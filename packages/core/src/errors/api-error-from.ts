import { ApiError, type ApiFailure, type ApiRequest } from "./api-error.ts";
import * as errors from "./api-errors.ts";
import { type AnswerHeaders, clampDelay, readRetryAfter } from "./retry-after.ts";
import { readStatusBody } from "./status-body.ts";

/** An answer that is no success. */
export interface FailedAnswer {
  /** The HTTP status. */
  readonly status: number;
  /** The body: parsed JSON, text, bytes, or nothing. It is not trusted to be what it should. */
  readonly body?: unknown;
  /** The headers; only `Retry-After` is read. */
  readonly headers?: AnswerHeaders | undefined;
  readonly request?: ApiRequest | undefined;
  /** The time of day in milliseconds, to make sense of a date in `Retry-After`. */
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

/** The reason that a bare status stands for, when the body of the answer gives none. */
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
 * The error for an answer that is no success; never throws, whatever the body is.
 *
 * The class follows the reason in the body where it is one of Kubernetes', and the status otherwise.
 *
 * @example
 * if (!answer.ok) throw apiErrorFrom({ status: answer.status, body: await answer.text(), request });
 */
export function apiErrorFrom({ status, body, headers, request, now }: FailedAnswer): ApiError {
  const { isStatus, message, reason: given, details, causes, retryAfterSeconds } = readStatusBody(body);
  // What is not a Status has no reason, even if it has a field of that name.
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

/** A conflict on creation can only be about the name. */
function impliedReason(status: number, method: string | undefined): string {
  if (status === 409 && method?.toUpperCase() === "POST") return "AlreadyExists";
  return reasonOfStatus.get(status) ?? "";
}

function longest(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.max(a, b);
}
