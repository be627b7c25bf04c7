import { ApiError, type ApiFailure } from "./api-error.ts";

/** Thrown when the request was malformed (400). */
export class BadRequestError extends ApiError {
  override readonly code = "BAD_REQUEST";
}

/** Thrown when the credentials were not accepted (401): they may have rotated since they were read. */
export class UnauthorizedError extends ApiError {
  override readonly code = "UNAUTHORIZED";
}

/** Thrown when the request is not authorized, or when a quota or an admission policy forbids it (403). */
export class ForbiddenError extends ApiError {
  override readonly code = "FORBIDDEN";
}

/**
 * Thrown when the object or the resource does not exist (404).
 *
 * `details.name` distinguishes the two: for an unknown resource the server names no object.
 */
export class NotFoundError extends ApiError {
  override readonly code = "NOT_FOUND";
}

/** Thrown when the resource does not support the verb (405). */
export class MethodNotAllowedError extends ApiError {
  override readonly code = "METHOD_NOT_ALLOWED";
}

/** Thrown when the server supports none of the requested formats (406). */
export class NotAcceptableError extends ApiError {
  override readonly code = "NOT_ACCEPTABLE";
}

/** Thrown when an object of that name already exists (409). It may have another owner: read it before using it. */
export class AlreadyExistsError extends ApiError {
  override readonly code = "ALREADY_EXISTS";
}

/**
 * The kind of a conflict.
 *
 * - `version`: the object was changed after it was read (the resourceVersion differs).
 * - `fields`: another field manager owns fields that were applied; see `causes`.
 * - `precondition`: a precondition on uid or resourceVersion does not hold.
 * - `other`: the response does not tell.
 */
export type ConflictKind = "version" | "fields" | "precondition" | "other";

/** Thrown when a write conflicts with the stored object (409); `conflict` has the kind of the conflict. */
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
  // The first text is that of an update, the second that of a delete.
  if (/Precondition failed:|in the precondition \(/.test(serverMessage)) return "precondition";
  return serverMessage.includes("the object has been modified") ? "version" : "other";
}

/** Thrown when the requested state is no longer available (410). */
export class GoneError extends ApiError {
  override readonly code: string = "GONE";
}

/** Thrown when a resource version or a continue token is too old (410): list again from the beginning. */
export class ExpiredError extends GoneError {
  override readonly code: string = "EXPIRED";
}

/** Thrown when the request was too large (413). */
export class RequestTooLargeError extends ApiError {
  override readonly code = "REQUEST_TOO_LARGE";
}

/** Thrown when the server does not support the format of the request (415). */
export class UnsupportedMediaTypeError extends ApiError {
  override readonly code = "UNSUPPORTED_MEDIA_TYPE";
}

/** Thrown when the object is invalid (422); `causes` has one entry per field. */
export class InvalidError extends ApiError {
  override readonly code = "INVALID";
}

/** Thrown when the server is overloaded, or a PodDisruptionBudget does not allow an eviction now (429). */
export class TooManyRequestsError extends ApiError {
  override readonly code = "TOO_MANY_REQUESTS";
}

/** Thrown when the server failed (500). A write may have taken effect. */
export class InternalServerError extends ApiError {
  override readonly code = "INTERNAL_SERVER_ERROR";
}

/** Thrown when the server timed out on a component that it depends on (500, reason ServerTimeout). A write may have taken effect. */
export class ServerTimeoutError extends ApiError {
  override readonly code = "SERVER_TIMEOUT";
}

/** Thrown when the server is unavailable (502, 503). A write may have taken effect. */
export class ServiceUnavailableError extends ApiError {
  override readonly code = "SERVICE_UNAVAILABLE";
}

/** Thrown when there was no response in time (504, 408). A write may have taken effect, or may still do so. */
export class ApiTimeoutError extends ApiError {
  override readonly code = "API_TIMEOUT";
}
