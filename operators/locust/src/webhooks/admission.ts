import {
  type AdmissionContext,
  AdmissionDeniedError,
  type AdmissionWebhook,
  type Finding,
  validatingWebhook,
} from "homeostat";
import { type Clock, isEqual, systemClock } from "@homeostat/core";
import { LocustTest, type Test } from "../api/locust-test.ts";
import type { Settings } from "../settings/settings.ts";
import { asFinding } from "../validation/problem.ts";
import { newReferences } from "../validation/references.ts";
import { hasLongCommand, testProblems } from "../validation/rules.ts";
import { testWarnings } from "../validation/warnings.ts";
import { referenceFindings, type ReviewAccess } from "./reference-access.ts";

export interface LocustWebhookOptions {
  readonly settings: Settings;
  /** Sends SubjectAccessReviews for the objects that a test references. Without it, references are not checked. */
  readonly review?: ReviewAccess | undefined;
  readonly clock?: Clock | undefined;
}

/** Builds the webhook that denies tests which cannot or must not run, and adds warnings. */
export function locustWebhook(options: LocustWebhookOptions): AdmissionWebhook {
  return validatingWebhook({
    for: LocustTest,
    validate: (test, old, context) => findings({ test, old, context }, options),
  });
}

interface Request {
  readonly test: Test;
  readonly old: Test | undefined;
  readonly context: AdmissionContext;
}

async function* findings(request: Request, options: LocustWebhookOptions): AsyncIterable<Finding> {
  const { settings } = options;
  // A test that was converted from v1 has no v2 defaults yet.
  const test: Test = LocustTest.default(request.test);
  const old: Test | undefined = request.old === undefined ? undefined : LocustTest.default(request.old);
  // Without a change of the spec there is nothing to check. A stored test must stay deletable: removing its finalizer is an update.
  if (old !== undefined && isEqual(old.spec, test.spec)) return;
  const problems = testProblems(test, settings);
  for (const problem of problems) yield asFinding(problem);
  yield* accessFindings({ ...request, test, old }, { ...options, hasProblems: problems.length > 0 });
  if (hasLongCommand(problems)) return;
  for (const { path, message } of testWarnings(test, { settings, old })) yield { field: path, message, warn: true };
}

/** Yields findings for new references that the user cannot read. Existing references were checked when they were added. */
async function* accessFindings(
  { test, old, context }: Request,
  { review, clock = systemClock, hasProblems }: LocustWebhookOptions & { readonly hasProblems: boolean },
): AsyncIterable<Finding> {
  const references = newReferences(test, old);
  if (review === undefined || references.length === 0) return;
  const { user, namespace, signal } = context;
  try {
    yield* await referenceFindings(references, { review, clock, user, namespace, signal });
  } catch (error) {
    // The test has other problems and is denied anyway: report this one with them instead of alone.
    if (!hasProblems || !(error instanceof AdmissionDeniedError)) throw error;
    yield { message: error.message };
  }
}
