import {
  AlreadyExistsError,
  ApiError,
  ApiTimeoutError,
  BadRequestError,
  classify,
  ConflictError,
  DeadlineError,
  ForbiddenError,
  HomeostatError,
  InternalServerError,
  InvalidError,
  NetworkError,
  NotFoundError,
  outcomeOf,
  RequestTooLargeError,
  ServerTimeoutError,
  ServiceUnavailableError,
  TooManyRequestsError,
  UnauthorizedError,
} from "@homeostat/core";
import { ApplyConflictError, BeingDeletedError, NotOwnedError } from "../writes/errors.ts";
import { type AdmissionDenier, type Refusal, refusalIn } from "./refusal.ts";

/** Properties that all classified failures have. */
export interface ApiFailureFacts {
  /** One or two sentences for users: what happened and what to do. */
  readonly sentence: string;
  /** Message of the API server, or of the error. */
  readonly detail: string;
  /** True if the API server certainly did not perform the request. When false, read the live object before repeating a create. */
  readonly isNotPerformed: boolean;
  /** True if the API server rejected the content of the request. It stays rejected until the object, a permission, a quota or a policy changes. */
  readonly isRefusal: boolean;
}

/** A failed request to the API server, by reason. The reasons are valid reasons of conditions and events. */
export type ClassifiedApiFailure = ApiFailureFacts & Cause;

type Cause =
  | Refusal
  /** The request is not authorized (RBAC). */
  | { readonly reason: "Forbidden" }
  /** The request could not be authenticated. */
  | { readonly reason: "Unauthorized" }
  /** A webhook with `failurePolicy: Fail` could not be called. */
  | { readonly reason: "AdmissionUnavailable"; readonly deniedBy: AdmissionDenier }
  /** The object or the request is not valid. */
  | { readonly reason: "Invalid" }
  | { readonly reason: "NamespaceTerminating" | "NamespaceMissing"; readonly namespace: string | undefined }
  /** The object, or its kind, does not exist. */
  | { readonly reason: "NotFound" }
  | { readonly reason: "AlreadyExists" }
  /** The object changed after it was read, or a precondition does not hold. */
  | { readonly reason: "Conflict" }
  /** Another field manager owns fields that were applied. */
  | { readonly reason: "FieldManagerConflict" }
  /** The object has another owner. With `isLeaving` it is a leftover that the garbage collector deletes without further action. */
  | { readonly reason: "NotOwned"; readonly isLeaving: boolean }
  /** The object is being deleted. */
  | { readonly reason: "BeingDeleted" }
  /** There was no response, or a response with the status of an unavailable or overloaded API server (timeouts, 503). */
  | { readonly reason: "Unreachable" }
  | { readonly reason: "TooManyRequests" }
  | { readonly reason: "Unknown" };

/** Reason of a failed request to the API server. */
export type ApiFailureReason = ClassifiedApiFailure["reason"];

const refusals: ReadonlySet<ApiFailureReason> = new Set<ApiFailureReason>([
  "QuotaExceeded",
  "AdmissionDenied",
  "Forbidden",
  "Invalid",
]);

/** Reasons that imply that nothing was performed, although `outcomeOf` cannot tell so from the error. */
const neverPerformed: ReadonlySet<ApiFailureReason> = new Set<ApiFailureReason>([
  "AdmissionUnavailable",
  "BeingDeleted",
  "NotOwned",
  "FieldManagerConflict",
]);

/** Maximum depth of a chain of causes; a longer one is probably a cycle. */
const depthMax = 16;

/**
 * Classifies a failed request to the API server, for conditions, events and the decision what to do next.
 *
 * Also finds the failure in the `cause` of an error and in an `AggregateError`; the first error that can be classified counts. Use
 * `classify` of `@homeostat/core` to decide whether a retry can help.
 *
 * @example
 * const failure = classifyApiFailure(error);
 * if (failure.reason === "NamespaceTerminating") return;
 * setCondition("Ready", { status: false, reason: "CreateFailed", message: failure.detail });
 */
export function classifyApiFailure(error: unknown): ClassifiedApiFailure {
  const found = find(error, 0);
  const source = found?.error ?? error;
  const cause: Cause = found?.cause ?? { reason: "Unknown" };
  const { reason } = cause;
  return {
    ...cause,
    sentence: sentenceOf(cause, source),
    detail: detailOf(source),
    isNotPerformed: neverPerformed.has(reason) || outcomeOf(source, "POST") === "not-applied",
    isRefusal: refusals.has(reason),
  };
}

interface Found {
  readonly error: unknown;
  readonly cause: Cause;
}

/** Returns the first error of a chain that can be classified, with its cause. */
function find(error: unknown, depth: number): Found | undefined {
  if (!(error instanceof Error) || depth > depthMax) return undefined;
  const cause = causeOf(error);
  if (cause !== undefined) return { error, cause };
  const inner: readonly unknown[] = error instanceof AggregateError ? error.errors : [error.cause];
  for (const other of inner) {
    const found = find(other, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

function causeOf(error: Error): Cause | undefined {
  if (error instanceof NotOwnedError) return { reason: "NotOwned", isLeaving: error.isPredecessor };
  if (error instanceof BeingDeletedError) return { reason: "BeingDeleted" };
  if (error instanceof ApplyConflictError) return { reason: "FieldManagerConflict" };
  if (error instanceof ApiError) return causeOfResponse(error);
  const isUnreachable = error instanceof NetworkError || error instanceof DeadlineError || isSocketFault(error);
  return isUnreachable ? { reason: "Unreachable" } : undefined;
}

/** Reports whether an error of Node.js is a connection failure or a timeout. `AbortSignal.timeout` aborts with a `TimeoutError`. */
function isSocketFault(error: Error): boolean {
  if (error.name === "TimeoutError") return true;
  const hasCode = "code" in error && typeof error.code === "string";
  return hasCode && !(error instanceof HomeostatError) && classify(error) === "transient";
}

/** Returns the cause of an error response. Admission may use any status, so its message texts are checked before the status. */
function causeOfResponse(error: ApiError): Cause {
  const { serverMessage } = error;
  if (isOfTerminatingNamespace(error)) return { reason: "NamespaceTerminating", namespace: namespaceOf(error) };
  const refusal = error.status < 500 ? refusalIn(serverMessage) : undefined;
  if (refusal !== undefined) return refusal;
  if (error instanceof ForbiddenError) return { reason: "Forbidden" };
  if (error instanceof UnauthorizedError) return { reason: "Unauthorized" };
  if (error instanceof InvalidError || error instanceof BadRequestError) return { reason: "Invalid" };
  if (error instanceof RequestTooLargeError) return { reason: "Invalid" };
  if (error instanceof NotFoundError) {
    return isOfMissingNamespace(error)
      ? { reason: "NamespaceMissing", namespace: error.details.name ?? namespaceOf(error) }
      : { reason: "NotFound" };
  }
  if (error instanceof AlreadyExistsError) return { reason: "AlreadyExists" };
  if (error instanceof ConflictError) {
    return { reason: error.conflict === "fields" ? "FieldManagerConflict" : "Conflict" };
  }
  if (error instanceof TooManyRequestsError) return { reason: "TooManyRequests" };
  if (error instanceof InternalServerError) return causeOfServerFault(serverMessage);
  const isLate = error instanceof ApiTimeoutError || error instanceof ServerTimeoutError;
  return isLate || error instanceof ServiceUnavailableError ? { reason: "Unreachable" } : { reason: "Unknown" };
}

function causeOfServerFault(message: string): Cause {
  const [, name] = /failed calling webhook "([^"]+)"/.exec(message) ?? [];
  if (name === undefined) return { reason: "Unknown" };
  return { reason: "AdmissionUnavailable", deniedBy: { type: "webhook", name } };
}

function isOfTerminatingNamespace(error: ApiError): boolean {
  if (!(error instanceof ForbiddenError)) return false;
  return error.causes.some(({ reason }) => reason === "NamespaceTerminating");
}

/**
 * Reports whether a 404 is about the namespace of the request. The response to a request for the Namespace object itself looks the same, so the path
 * is checked, too.
 */
function isOfMissingNamespace({ details, request }: NotFoundError): boolean {
  if (details.kind !== "namespaces") return false;
  return request === undefined || /\/namespaces\/[^/]+\/[^/]/.test(request.path);
}

function namespaceOf({ request, causes }: ApiError): string | undefined {
  const [, inPath] = /\/namespaces\/([^/?]+)/.exec(request?.path ?? "") ?? [];
  const message = causes.find(({ reason }) => reason === "NamespaceTerminating")?.message ?? "";
  return inPath ?? /^namespace (\S+) is being terminated/.exec(message)?.[1];
}

function detailOf(error: unknown): string {
  if (error instanceof ApiError && error.serverMessage !== "") return error.serverMessage;
  return error instanceof Error ? error.message : String(error);
}

function sentenceOf(cause: Cause, error: unknown): string {
  switch (cause.reason) {
    case "QuotaExceeded":
      return cause.isIncomplete
        ? `ResourceQuota "${cause.quota}" requires requests or limits that are not set. Set them, or add a LimitRange with defaults.`
        : `ResourceQuota "${cause.quota}" is exceeded. Raise the quota, or free resources in the namespace.`;
    case "AdmissionDenied":
      return `${denierName(cause.deniedBy)} denied the request. Change the object so that it is admitted, or change the rule.`;
    case "AdmissionUnavailable":
      return `${denierName(cause.deniedBy)} could not be called. Check that its Service has ready endpoints.`;
    case "NamespaceTerminating":
      return `${namespaceName(cause.namespace)} is being deleted. Nothing can be created in it.`;
    case "NamespaceMissing":
      return `${namespaceName(cause.namespace)} does not exist. Create it.`;
    case "NotOwned":
    case "BeingDeleted":
    case "FieldManagerConflict":
      return error instanceof ApiError ? sentences.FieldManagerConflict : detailOf(error);
    default:
      return sentences[cause.reason];
  }
}

const sentences = {
  Forbidden: "The request is not authorized. Grant the permission to the service account of the operator.",
  Unauthorized: "The API server rejected the credentials. Check the service account of the operator.",
  Invalid: "The API server rejected the object as invalid. Correct the fields that it names.",
  NotFound: "The object does not exist, or its kind is not installed.",
  AlreadyExists: "An object with this name already exists. Check its owner before using it.",
  Conflict: "The object changed on the API server after it was read. The operator retries with the new version.",
  FieldManagerConflict: "Another field manager owns some of the fields. Omit them, or force ownership.",
  Unreachable: "The API server could not be reached in time. The operator retries.",
  TooManyRequests: "The API server is limiting requests. The operator retries later.",
  Unknown: "The request failed for an unknown reason.",
} as const;

function denierName({ type, name }: AdmissionDenier): string {
  if (type === "plugin") return `The admission plugin ${name}`;
  return type === "webhook" ? `The admission webhook "${name}"` : `The admission policy "${name}"`;
}

function namespaceName(name: string | undefined): string {
  return name === undefined ? "The namespace" : `Namespace "${name}"`;
}
