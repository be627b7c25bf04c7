// A pod reads Secrets and ConfigMaps with the permissions of the kubelet, not of the user. Without this check, users who may create tests could read every
// Secret of the namespace by naming it in a test.

import { AdmissionDeniedError, type Finding } from "homeostat";
import type { Client } from "@homeostat/client";
import { type Clock, ForbiddenError, quoteText } from "@homeostat/core";
import { ConfigMap, Secret } from "@homeostat/kubernetes/core/v1";
import type { Reference } from "../validation/references.ts";

/** Sends a SubjectAccessReview. */
export type ReviewAccess = Client["reviewAccess"];

/** The user of an admission request. */
export interface ReferenceUser {
  readonly username: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

export interface ReferenceAccessOptions {
  readonly review: ReviewAccess;
  readonly clock: Clock;
  readonly user: ReferenceUser;
  readonly namespace: string;
  readonly signal: AbortSignal;
}

/** Maximum number of references in one request. */
export const referencesMax = 100;
/** Maximum number of concurrent reviews for one request. */
export const reviewsMax = 10;
/** Timeout for all reviews together. The API server waits 10 seconds for the webhook by default. */
export const reviewsTimeoutMs = 4_000;
const nameLengthMax = 253;

/**
 * Returns a finding for each reference that the user may not `get`.
 *
 * Throws an `AdmissionDeniedError` if a review fails: a test that cannot be checked is denied.
 */
export async function referenceFindings(
  references: readonly Reference[],
  options: ReferenceAccessOptions,
): Promise<Finding[]> {
  if (references.length > referencesMax) {
    const message = `references ${references.length} Secrets and ConfigMaps; at most ${referencesMax} are allowed`;
    return [{ field: "spec", message, reason: "FieldValueForbidden" }];
  }
  using timeout = options.clock.timeout(reviewsTimeoutMs);
  const failed = new AbortController();
  const signal = AbortSignal.any([timeout.signal, failed.signal, options.signal]);
  const findings: (Finding | undefined)[] = [];
  const queue = references.entries();
  const work = async (): Promise<void> => {
    for (const [index, reference] of queue) findings[index] = await findingOf(reference, { ...options, signal });
  };
  try {
    await Promise.all(Array.from({ length: Math.min(reviewsMax, references.length) }, work));
  } catch (error) {
    failed.abort(error);
    throw reviewFailed(error, { isTimeout: timeout.signal.aborted });
  }
  return findings.filter((finding) => finding !== undefined);
}

async function findingOf(
  { kind, name, path: field }: Reference,
  { review, user, namespace, signal }: Omit<ReferenceAccessOptions, "clock">,
): Promise<Finding | undefined> {
  const reason = "FieldValueForbidden";
  if (name.length > nameLengthMax) {
    return { field, reason, message: `${quoteText(name)} is longer than ${nameLengthMax} characters` };
  }
  const { username, uid, groups, extra } = user;
  const type = kind === "Secret" ? Secret : ConfigMap;
  const { isAllowed } = await review(
    { user: username, uid, groups, extra },
    { verb: "get", type, namespace, name },
    { signal },
  );
  if (isAllowed) return undefined;
  const message = `user ${quoteText(username)} cannot get ${kind} ${quoteText(name)} in namespace ${quoteText(namespace)}, so tests of this user cannot reference it; request permission to get it, or reference another ${kind}`;
  return { field, reason, message };
}

function reviewFailed(cause: unknown, { isTimeout }: { readonly isTimeout: boolean }): AdmissionDeniedError {
  const why =
    cause instanceof ForbiddenError
      ? "the operator cannot create SubjectAccessReviews; grant it this permission, or set CHECK_REFERENCE_ACCESS=false on the operator"
      : isTimeout
        ? `the API server did not respond within ${reviewsTimeoutMs / 1_000} seconds; retry the request`
        : "the request to the API server failed; retry the request";
  const message = `cannot check whether you can read the Secrets and ConfigMaps that the test references: ${why}`;
  return new AdmissionDeniedError(message, { code: 503, reason: "ServiceUnavailable" }, { cause });
}
