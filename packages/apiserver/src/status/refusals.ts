// Error statuses of an API server, one function each. Clients compare the texts, so they are exactly those of
// kube-apiserver.

import { quote } from "@homeostat/cel";
import { causeReason, formatProblem, type Problem } from "@homeostat/schema";
import { failure, type ServerStatus, type ServerStatusCause } from "./status.ts";

/** A resource in messages. The core group is the empty string. */
export interface GroupResourceName {
  readonly group: string;
  /** Plural name: `deployments`. */
  readonly resource: string;
}

/** A kind in messages. */
export interface GroupKindName {
  readonly group: string;
  readonly kind: string;
}

/** Returns the name of a resource in messages: `deployments.apps`, or `pods` for the core group. */
export function resourceText({ group, resource }: GroupResourceName): string {
  return group === "" ? resource : `${resource}.${group}`;
}

function kindText({ group, kind }: GroupKindName): string {
  return group === "" ? kind : `${kind}.${group}`;
}

function detailsOf(
  { group, resource }: GroupResourceName,
  name: string,
): { name: string; group: string; kind: string } {
  return { name, group, kind: resource };
}

/** 404: the object does not exist. */
export function notFoundStatus(resource: GroupResourceName, name: string): ServerStatus {
  const message = `${resourceText(resource)} ${quote(name)} not found`;
  return failure({ code: 404, reason: "NotFound", message, details: detailsOf(resource, name) });
}

/** 404: the resource does not exist. */
export function noSuchResourceStatus(): ServerStatus {
  const message = "the server could not find the requested resource";
  return failure({ code: 404, reason: "NotFound", message, details: {} });
}

/** 409: an object with that name exists. `isBeingDeleted` is for one that has a deletionTimestamp. */
export function alreadyExistsStatus(
  resource: GroupResourceName,
  name: string,
  { isBeingDeleted = false }: { readonly isBeingDeleted?: boolean } = {},
): ServerStatus {
  const text = `${resourceText(resource)} ${quote(name)} already exists`;
  const message = isBeingDeleted ? `object is being deleted: ${text}` : text;
  return failure({ code: 409, reason: "AlreadyExists", message, details: detailsOf(resource, name) });
}

/** 409: every name generated from `generateName` exists. */
export function generateNameConflictStatus(resource: GroupResourceName, name: string): ServerStatus {
  const text = `${resourceText(resource)} ${quote(name)} already exists`;
  const message = `${text}, the server was not able to generate a unique name for the object`;
  const details = { ...detailsOf(resource, name), retryAfterSeconds: 1 };
  return failure({ code: 409, reason: "AlreadyExists", message, details });
}

/** 409: the object cannot be changed, with the reason. */
export function conflictStatus(resource: GroupResourceName, name: string, why: string): ServerStatus {
  const message = `Operation cannot be fulfilled on ${resourceText(resource)} ${quote(name)}: ${why}`;
  return failure({ code: 409, reason: "Conflict", message, details: detailsOf(resource, name) });
}

/** Reason why a write with an outdated resourceVersion is refused. */
export const modifiedText: string =
  "the object has been modified; please apply your changes to the latest version and try again";

/**
 * 409: the uid or resourceVersion in the precondition of a delete does not match. The message has the kind, not the
 * plural.
 */
export function deletePreconditionStatus(
  kind: GroupKindName,
  name: string,
  {
    field,
    wanted,
    found,
  }: { readonly field: "UID" | "ResourceVersion"; readonly wanted: string; readonly found: string },
): ServerStatus {
  const why = `the ${field} in the precondition (${wanted}) does not match the ${field} in record (${found})`;
  const guess = field === "UID" ? "deleted and then recreated" : "modified";
  const subject = { group: kind.group, resource: kind.kind };
  return conflictStatus(subject, name, `${why}. The object might have been ${guess}`);
}

/** 409: the uid or resourceVersion in the precondition of another write does not match. */
export function preconditionFailedStatus(
  resource: GroupResourceName,
  name: string,
  {
    field,
    wanted,
    found,
  }: { readonly field: "UID" | "ResourceVersion"; readonly wanted: string; readonly found: string },
): ServerStatus {
  const why = `Precondition failed: ${field} in precondition: ${wanted}, ${field} in object meta: ${found}`;
  return conflictStatus(resource, name, why);
}

/** 409: an update has another uid than the stored object. `key` is the storage key of the object. */
export function storagePreconditionStatus(
  resource: GroupResourceName,
  name: string,
  { key, wanted, found }: { readonly key: string; readonly wanted: string; readonly found: string },
): ServerStatus {
  const why = `Precondition failed: UID in precondition: ${wanted}, UID in object meta: ${found}`;
  const storage = `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0`;
  return conflictStatus(resource, name, `${storage}, AdditionalErrorMsg: ${why}`);
}

/** 409: an apply conflicts with fields of other field managers. */
export function applyConflictStatus(causes: readonly ServerStatusCause[], message: string): ServerStatus {
  return failure({ code: 409, reason: "Conflict", message, details: { causes } });
}

/**
 * 410: the requested resourceVersion is compacted. With a continue token, a list can be continued without consistency.
 */
export function expiredStatus(message: string, token?: string): ServerStatus {
  return failure({ code: 410, reason: "Expired", message, ...(token === undefined ? {} : { continue: token }) });
}

/** 410: the resourceVersion of a watch is compacted. */
export function tooOldVersionStatus(wanted: string, oldest: string): ServerStatus {
  return expiredStatus(`too old resource version: ${wanted} (${oldest})`);
}

/** 410, the older form of {@link expiredStatus}. */
export function goneStatus(message: string): ServerStatus {
  return failure({ code: 410, reason: "Gone", message });
}

/** 422: fields of an object are invalid. */
export function invalidStatus(kind: GroupKindName, name: string, problems: readonly Problem[]): ServerStatus {
  const texts = [...new Set(problems.map(formatProblem))];
  const subject = `${kindText(kind)} ${quote(name)} is invalid`;
  const [only = ""] = texts;
  const list = texts.length === 0 ? "" : `: ${texts.length === 1 ? only : `[${texts.join(", ")}]`}`;
  const causes = problems.map((problem) => ({
    reason: causeReason(problem),
    message: problem.message,
    field: problem.path === "" ? "<nil>" : problem.path,
  }));
  const details = { name, group: kind.group, kind: kind.kind, causes };
  return failure({ code: 422, reason: "Invalid", message: subject + list, details });
}

/** 422: a patch cannot be applied. kube-apiserver gives no details. */
export function unprocessableStatus(): ServerStatus {
  const message = "the server rejected our request due to an error in our request";
  return failure({ code: 422, reason: "Invalid", message, details: {} });
}

/** 400: the request is malformed. */
export function badRequestStatus(message: string): ServerStatus {
  return failure({ code: 400, reason: "BadRequest", message });
}

/** 401: the client is not authenticated. */
export function unauthorizedStatus(message: string = "Unauthorized"): ServerStatus {
  return failure({ code: 401, reason: "Unauthorized", message });
}

/** 403: the action is forbidden, with the reason. */
export function forbiddenStatus(resource: GroupResourceName, name: string, why: string): ServerStatus {
  const text = resourceText(resource);
  const subject =
    text === "" ? "forbidden" : name === "" ? `${text} is forbidden` : `${text} ${quote(name)} is forbidden`;
  return failure({ code: 403, reason: "Forbidden", message: `${subject}: ${why}`, details: detailsOf(resource, name) });
}

/** A rejected action of a user on a resource or on a non-resource path. */
export type Attempt =
  | {
      readonly user: string;
      readonly verb: string;
      readonly group: string;
      readonly resource: string;
      readonly subresource?: string;
      readonly namespace?: string;
      readonly name?: string;
    }
  | { readonly user: string; readonly verb: string; readonly path: string };

/** 403: no rule authorizes the action. `reason` is the text of the authorizer. */
export function forbiddenAttemptStatus(attempt: Attempt, reason: string = ""): ServerStatus {
  const why = `${sanitize(attemptText(attempt))}${reason === "" ? "" : `: ${reason}`}`;
  if ("path" in attempt) return forbiddenStatus({ group: "", resource: "" }, "", why);
  return forbiddenStatus(attempt, attempt.name ?? "", why);
}

function attemptText(attempt: Attempt): string {
  const who = `User ${quote(attempt.user)} cannot ${attempt.verb}`;
  if ("path" in attempt) return `${who} path ${quote(attempt.path)}`;
  const { group, resource, subresource = "", namespace = "" } = attempt;
  const what = subresource === "" ? resource : `${resource}/${subresource}`;
  const where = namespace === "" ? "at the cluster scope" : `in the namespace ${quote(namespace)}`;
  return `${who} resource ${quote(what)} in API group ${quote(group)} ${where}`;
}

/** Escapes HTML, as kube-apiserver does in these messages. */
function sanitize(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** 405: the resource does not support the verb, such as `create` or `delete`. */
export function methodNotAllowedStatus(resource: GroupResourceName, verb: string): ServerStatus {
  const message = `${verb} is not supported on resources of kind ${quote(resourceText(resource))}`;
  const details = { group: resource.group, kind: resource.resource };
  return failure({ code: 405, reason: "MethodNotAllowed", message, details });
}

/** 405: no resource at this path supports the HTTP method. */
export function methodUnknownStatus(): ServerStatus {
  const message = "the server does not allow this method on the requested resource";
  return failure({ code: 405, reason: "MethodNotAllowed", message, details: {} });
}

/** 406: none of the media types that the client accepts is supported. */
export function notAcceptableStatus(mediaTypes: readonly string[]): ServerStatus {
  const message = `only the following media types are accepted: ${mediaTypes.join(", ")}`;
  return failure({ code: 406, reason: "NotAcceptable", message });
}

/**
 * 406 of the endpoints of built-in kinds for an unknown media type, which they detect before anything else.
 *
 * kube-apiserver indents every 406, for any client.
 */
export function unknownAcceptStatus(mediaTypes: readonly string[]): ServerStatus {
  const message = `406: Not Acceptable\n\nAvailable representations: ${mediaTypes.join(", ")}`;
  return failure({ code: 406, reason: "NotAcceptable", message, details: {} });
}

/** 415: the content type of the body is not supported. */
export function unsupportedMediaTypeStatus(mediaTypes: readonly string[]): ServerStatus {
  const list = mediaTypes.join(", ");
  const message = `the body of the request was in an unknown format - accepted media types include: ${list}`;
  return failure({ code: 415, reason: "UnsupportedMediaType", message });
}

/** 415 of the endpoints of built-in kinds for an unknown patch type. */
export function unknownPatchTypeStatus(): ServerStatus {
  return failure({ code: 415, reason: "UnsupportedMediaType", message: "415: Unsupported Media Type", details: {} });
}

/** 413: the body is longer than `limit` bytes. */
export function bodyTooLargeStatus(limit: number): ServerStatus {
  return tooLargeStatus(`limit is ${limit}`);
}

/** 413: the request is too large, with the reason. */
export function tooLargeStatus(why: string): ServerStatus {
  const message = `Request entity too large: ${why}`;
  return failure({ code: 413, reason: "RequestEntityTooLarge", message });
}

/** 429: too many requests; retry after some seconds. */
export function tooManyRequestsStatus(message: string, retryAfterSeconds: number): ServerStatus {
  return failure({ code: 429, reason: "TooManyRequests", message, details: { retryAfterSeconds } });
}

/** 500: an internal error, with its message. */
export function internalErrorStatus(why: string): ServerStatus {
  const message = `Internal error occurred: ${why}`;
  return failure({ code: 500, reason: "InternalError", message, details: { causes: [{ message: why }] } });
}

/** 500: an error without a reason. */
export function unknownErrorStatus(message: string): ServerStatus {
  return failure({ code: 500, message });
}

/** 500: the storage did not respond in time. */
export function serverTimeoutStatus(
  resource: GroupResourceName,
  operation: string,
  retryAfterSeconds: number,
): ServerStatus {
  const subject = `The ${operation} operation against ${resourceText(resource)}`;
  const message = `${subject} could not be completed at this time, please try again.`;
  const details = { ...detailsOf(resource, operation), retryAfterSeconds };
  return failure({ code: 500, reason: "ServerTimeout", message, details });
}

/** 503: the service is unavailable. */
export function serviceUnavailableStatus(message: string): ServerStatus {
  return failure({ code: 503, reason: "ServiceUnavailable", message });
}

/** 504: the request timed out. It may still take effect. */
export function timeoutStatus(why: string, retryAfterSeconds: number = 0): ServerStatus {
  return failure({ code: 504, reason: "Timeout", message: `Timeout: ${why}`, details: { retryAfterSeconds } });
}

/** 504: the requested resourceVersion does not exist yet. */
export function versionTooLargeStatus(wanted: string, current: string): ServerStatus {
  const message = `Timeout: Too large resource version: ${wanted}, current: ${current}`;
  const causes = [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }];
  return failure({ code: 504, reason: "Timeout", message, details: { causes, retryAfterSeconds: 1 } });
}
