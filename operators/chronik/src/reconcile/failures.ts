// Classes and reasons of errors. The class determines when a failed reconcile is retried; the status shows the reason.

import { classifyApiFailure, type ClassifiedApiFailure, TerminalError, TransientError } from "homeostat";
import { ApiError, BadRequestError, classify, cutText, NetworkError } from "@homeostat/core";
import { ApplyConflictError, ManagedObjectsError } from "@homeostat/runtime";
import { annotations } from "../api/annotations.ts";
import { type ErrorClass, type ErrorReason, errorReasons, messageLengthMax } from "../api/status.ts";
import { listedFields } from "./events.ts";

/** A classified error. */
export interface Failure {
  readonly class: ErrorClass;
  readonly reason: ErrorReason;
  readonly message: string;
  /** Object of the failed request, if known: `Service streaming/demo-ingest`. */
  readonly object: string | undefined;
  readonly error: unknown;
}

type Verdict = Pick<Failure, "class" | "reason">;

const transient = (reason: ErrorReason): Verdict => ({ class: "Transient", reason });
const permanent = (reason: ErrorReason): Verdict => ({ class: "Permanent", reason });

/** Classifies an error. If several objects failed, a permanent failure takes precedence. */
export function classifyFailure(error: unknown): Failure {
  if (error instanceof ManagedObjectsError) {
    const all = error.failures.map(({ object, error: inner }) => ({ ...classifyOne(inner), object }));
    const chosen = all.find((failure) => failure.class === "Permanent") ?? all[0];
    if (chosen !== undefined) return { ...chosen, error };
  }
  return classifyOne(error);
}

function classifyOne(error: unknown): Failure {
  const text = error instanceof Error ? error.message : String(error);
  if (error instanceof TerminalError) {
    const reason = errorReasons.find((known) => known === error.reason) ?? "Unexpected";
    return { class: "Permanent", reason, message: cutText(text, messageLengthMax), object: undefined, error };
  }
  const failure = classifyApiFailure(error);
  const verdict = verdictOf(failure, error);
  if (error instanceof ApplyConflictError) {
    const message =
      `${error.object} was not changed, because other field managers have set ${listedFields(error.conflicts)}. ` +
      `Configure them to release these fields, or set the annotation ${annotations.applyForce} of the cluster to owned.`;
    return { ...verdict, message: cutText(message, messageLengthMax), object: error.object, error };
  }
  // The stack and the message of an unexpected error belong to the log: they may contain anything.
  const message =
    verdict.class === "Unknown" ? "An unexpected error occurred; the log of the operator has details" : failure.detail;
  return { ...verdict, message: cutText(message, messageLengthMax), object: undefined, error };
}

function verdictOf(failure: ClassifiedApiFailure, error: unknown): Verdict {
  switch (failure.reason) {
    case "QuotaExceeded":
    case "AdmissionDenied":
    case "Forbidden":
    case "Unauthorized":
    case "NamespaceTerminating":
      return permanent(failure.reason);
    case "AdmissionUnavailable":
      return transient("WebhookUnavailable");
    case "Invalid":
      return permanent(error instanceof BadRequestError ? "BadRequest" : "Invalid");
    case "NamespaceMissing":
      return permanent("NamespaceNotFound");
    case "NotFound":
      return permanent("ApiNotInstalled");
    case "AlreadyExists":
      return permanent("ResourceConflict");
    case "NotOwned":
      return failure.isLeaving ? transient("UpdateConflict") : permanent("ResourceConflict");
    case "Conflict":
    case "BeingDeleted":
      return transient("UpdateConflict");
    case "FieldManagerConflict":
      return permanent("FieldConflict");
    case "TooManyRequests":
      return transient("TooManyRequests");
    case "Unreachable":
      if (!(error instanceof NetworkError)) return transient("ServerError");
      return trustCodes.test(error.socketCode ?? "") ? permanent("ApiServerTrust") : transient("NetworkError");
    case "Unknown":
      if (error instanceof ApiError)
        return error.status >= 500 || passing.has(error.status)
          ? transient("ServerError")
          : permanent("RequestRejected");
      return classify(error) === "transient" ? transient("ServerError") : { class: "Unknown", reason: "Unexpected" };
  }
}

/** Codes of TLS errors about the certificate of the server. A user must correct the certificate or the trusted CA. */
const trustCodes = /CERT_|_CERT|LEAF_SIGNATURE|HOSTNAME_MISMATCH|^INVALID_(?:CA|PURPOSE)$|^PATH_LENGTH_EXCEEDED$/;

/** Statuses below 500 that a later request may not have: a timeout, an expired list, and a request that came too early. */
const passing: ReadonlySet<number> = new Set([408, 410, 425]);

/** Returns the error to throw, so that the runtime repeats the reconcile at the interval of the class. */
export function errorToThrow({ class: given, reason, message, error }: Failure): unknown {
  const kind = classify(error);
  // The runtime repeats version conflicts, and writes to objects that are being deleted, soon.
  if (given === "Transient")
    return kind === "transient" || reason === "UpdateConflict" ? error : new TransientError(message, { cause: error });
  if (given === "Permanent")
    return kind === "terminal" ? error : new TerminalError({ reason, message }, { cause: error });
  return error;
}
