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

/** What all failures have in common, whatever the reason. */
export interface ApiFailureFacts {
  /** A sentence or two for people: what happened and what to do. */
  readonly sentence: string;
  /** What the API server said, or the message of the error. */
  readonly detail: string;
  /** Whether the API server certainly did not perform the request. When false, read the live object before a create is repeated. */
  readonly isNotPerformed: boolean;
  /** Whether the API server rejected the content of the request: it stays rejected until the object, a right, a quota or a policy changes. */
  readonly isRefusal: boolean;
}

/** Why a request to the API server failed, by reason. The reasons can be used as reasons of conditions and events. */
export type ClassifiedApiFailure = ApiFailureFacts & Cause;

type Cause =
  | Refusal
  /** Authorization (RBAC) does not allow it. */
  | { readonly reason: "Forbidden" }
  /** The credentials were not accepted. */
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
  /** The object belongs to another owner. With `isLeaving` it is a leftover that is deleted without further action. */
  | { readonly reason: "NotOwned"; readonly isLeaving: boolean }
  /** The object is being deleted. */
  | { readonly reason: "BeingDeleted" }
  /** No response came, or only one that says that the API server cannot be reached or is too slow. */
  | { readonly reason: "Unreachable" }
  | { readonly reason: "TooManyRequests" }
  | { readonly reason: "Unknown" };

/** A word for why a request to the API server failed. */
export type ApiFailureReason = ClassifiedApiFailure["reason"];

const refusals: ReadonlySet<ApiFailureReason> = new Set<ApiFailureReason>([
  "QuotaExceeded",
  "AdmissionDenied",
  "Forbidden",
  "Invalid",
]);

/** Reasons for which nothing was performed although the error itself does not say so. */
const neverPerformed: ReadonlySet<ApiFailureReason> = new Set<ApiFailureReason>([
  "AdmissionUnavailable",
  "BeingDeleted",
  "NotOwned",
  "FieldManagerConflict",
]);

/** Longer chains of causes are a loop. */
const depthMax = 16;

/**
 * Classifies why a request to the API server failed: for conditions, events and the decision what to do next.
 *
 * Errors that wrap the failure as their `cause`, or hold several in an `AggregateError`, are looked into; of several errors the
 * first that can be classified counts. Whether a retry can help is a different question: `classify` of `@homeostat/core`.
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

/** The first error of a chain that can be classified, with what it means. */
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

/** Reports whether an error of Node.js is about a connection. `AbortSignal.timeout` aborts with a `TimeoutError`. */
function isSocketFault(error: Error): boolean {
  if (error.name === "TimeoutError") return true;
  const hasCode = "code" in error && typeof error.code === "string";
  return hasCode && !(error instanceof HomeostatError) && classify(error) === "transient";
}

/** The meaning of a response. Admission may answer with any status, so its texts are looked for before the status counts. */
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

/** A write into a missing namespace names the namespace; so does one of the Namespace object itself, which is another case. */
function isOfMissingNamespace({ details, request }: NotFoundError): boolean {
  if (details.kind !== "namespaces") return false;
  return request === undefined || /\/namespaces\/[^/]+\/[^/]/.test(request.path);
}

function namespaceOf({ request, causes }: ApiError): string | undefined {
  const [, inPath] = /\/namespaces\/([^/?]+)/.exec(request?.path ?? "") ?? [];
  const told = causes.find(({ reason }) => reason === "NamespaceTerminating")?.message ?? "";
  return inPath ?? /^namespace (\S+) is being terminated/.exec(told)?.[1];
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
  Forbidden: "The API server denied permission. Grant it to the service account of the operator.",
  Unauthorized: "The API server did not accept the credentials. Check the service account of the operator.",
  Invalid: "The API server rejected the object as invalid. Correct the fields that it names.",
  NotFound: "The object does not exist, or its kind is not installed.",
  AlreadyExists: "An object of this name exists. Check its owner before using it.",
  Conflict: "The object changed on the API server after it was read. It is read again.",
  FieldManagerConflict: "Another field manager owns some of the fields. Leave them out, or take them over.",
  Unreachable: "The API server could not be reached in time. The request is repeated.",
  TooManyRequests: "The API server limits requests at the moment. The request is repeated later.",
  Unknown: "The request failed for an unknown reason.",
} as const;

function denierName({ type, name }: AdmissionDenier): string {
  if (type === "plugin") return `The admission plugin ${name}`;
  return type === "webhook" ? `The admission webhook "${name}"` : `The admission policy "${name}"`;
}

function namespaceName(name: string | undefined): string {
  return name === undefined ? "The namespace" : `Namespace "${name}"`;
}
