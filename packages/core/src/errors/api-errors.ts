import { ApiError, type ApiFailure } from "./api-error.ts";

/** Thrown when the request was malformed (400). */
export class BadRequestError extends ApiError {
  override readonly code = "BAD_REQUEST";
}

/** Thrown when the credentials were not accepted (401): they may have rotated since they were read. */
export class UnauthorizedError extends ApiError {
  override readonly code = "UNAUTHORIZED";
}

/** Thrown when permission, quota or an admission policy stands against the request (403). */
export class ForbiddenError extends ApiError {
  override readonly code = "FORBIDDEN";
}

/**
 * Thrown when there is no such object, or no such resource (404).
 *
 * `details.name` tells them apart: a server that does not know the resource names no object.
 */
export class NotFoundError extends ApiError {
  override readonly code = "NOT_FOUND";
}

/** Thrown when the resource does not support the verb (405). */
export class MethodNotAllowedError extends ApiError {
  override readonly code = "METHOD_NOT_ALLOWED";
}

/** Thrown when the server has none of the formats asked for (406). */
export class NotAcceptableError extends ApiError {
  override readonly code = "NOT_ACCEPTABLE";
}

/** Thrown when an object of that name exists already (409). It may belong to somebody else: read it before using it. */
export class AlreadyExistsError extends ApiError {
  override readonly code = "ALREADY_EXISTS";
}

/**
 * What a write conflicts with.
 *
 * - `version`: the object changed after it was read (its resourceVersion is another).
 * - `fields`: another manager owns fields that were applied; see `causes`.
 * - `precondition`: a condition of the request does not hold: the object is another one, or has another version.
 * - `other`: the server did not say.
 */
export type ConflictKind = "version" | "fields" | "precondition" | "other";

/** Thrown when a write conflicts with what is there (409); `conflict` tells in which way. */
export class ConflictError extends ApiError {
  override readonly code = "CONFLICT";
  readonly conflict: ConflictKind;

  constructor(failure: ApiFailure, options?: ErrorOptions) {
    super(failure, options);
    this.conflict = conflictKind(failure);
  }
}

function conflictKind({ causes, serverMessage }: ApiFailure): ConflictKind {
  if (causes.some(({ reason }) => reason === "FieldManagerConflict")) return "fields";
  if (serverMessage.startsWith("Apply failed with ")) return "fields";
  // An update says the first, a delete the second.
  if (/Precondition failed:|in the precondition \(/.test(serverMessage)) return "precondition";
  return serverMessage.includes("the object has been modified") ? "version" : "other";
}

/** Thrown when what was asked for is gone for good (410). */
export class GoneError extends ApiError {
  override readonly code: string = "GONE";
}

/** Thrown when a resource version or a page of a list is too old (410): list again from the beginning. */
export class ExpiredError extends GoneError {
  override readonly code: string = "EXPIRED";
}

/** Thrown when the request was too large (413). */
export class RequestTooLargeError extends ApiError {
  override readonly code = "REQUEST_TOO_LARGE";
}

/** Thrown when the server does not know the format that was sent (415). */
export class UnsupportedMediaTypeError extends ApiError {
  override readonly code = "UNSUPPORTED_MEDIA_TYPE";
}

/** Thrown when the server finds the object invalid (422); `causes` has each field. */
export class InvalidError extends ApiError {
  override readonly code = "INVALID";
}

/** Thrown when the server has too much to do (429), or a disruption budget forbids an eviction now. */
export class TooManyRequestsError extends ApiError {
  override readonly code = "TOO_MANY_REQUESTS";
}

/** Thrown when the server failed (500). A write may have taken effect all the same. */
export class InternalServerError extends ApiError {
  override readonly code = "INTERNAL_SERVER_ERROR";
}

/** Thrown when the server reached something it needs too late (500, reason ServerTimeout). A write may have taken effect. */
export class ServerTimeoutError extends ApiError {
  override readonly code = "SERVER_TIMEOUT";
}

/** Thrown when the server cannot answer now (502, 503). A write may have taken effect all the same. */
export class ServiceUnavailableError extends ApiError {
  override readonly code = "SERVICE_UNAVAILABLE";
}

/** Thrown when the answer did not come in time (504, 408). A write may have taken effect, or still may. */
export class ApiTimeoutError extends ApiError {
  override readonly code = "API_TIMEOUT";
}
