import { type AdmissionWebhook, type Finding, validatingWebhook } from "homeostat";
import { isEqual } from "@homeostat/core";
import { LocustTest, type Test } from "../api/locust-test.ts";
import type { Settings } from "../settings/settings.ts";
import { asFinding } from "../validation/problem.ts";
import { testProblems } from "../validation/rules.ts";
import { testWarnings } from "../validation/warnings.ts";

/** Builds the webhook that refuses tests which cannot run and warns about doubtful ones. */
export function locustWebhook(settings: Settings): AdmissionWebhook {
  return validatingWebhook({
    for: LocustTest,
    validate: (test, old) => findings(test, old, settings),
  });
}

function* findings(given: Test, givenOld: Test | undefined, settings: Settings): Iterable<Finding> {
  // A test that was converted from v1 has no v2 defaults yet.
  const test: Test = LocustTest.default(given);
  const old: Test | undefined = givenOld === undefined ? undefined : LocustTest.default(givenOld);
  // A stored test must stay deletable, and removing its finalizer is an update.
  if (old !== undefined && isEqual(old.spec, test.spec)) return;
  for (const problem of testProblems(test, settings)) yield asFinding(problem);
  for (const { path, message } of testWarnings(test, { settings, old })) yield { field: path, message, warn: true };
}
