import { isEqual } from "@homeostat/core";
import { type AdmissionWebhook, type Finding, validatingWebhook } from "@homeostat/webhook";
import { LocustTest } from "../api/locust-test.ts";
import type { Test } from "../build/objects.ts";
import type { OperatorConfig } from "../settings/settings.ts";
import { asFinding } from "../validation/problem.ts";
import { testProblems } from "../validation/rules.ts";
import { testWarnings } from "../validation/warnings.ts";

/** The webhook that refuses tests which cannot run, and tells about those that may not do what was meant. */
export function locustWebhook(config: OperatorConfig): AdmissionWebhook {
  return validatingWebhook({
    for: LocustTest,
    validate: (test, old) => findings(test, { old, config }),
  });
}

function* findings(
  given: Test,
  { old: before, config }: { old: Test | undefined; config: OperatorConfig },
): Iterable<Finding> {
  // A test that came through v1 has no defaults of v2 yet.
  const test: Test = LocustTest.default(given);
  const old: Test | undefined = before === undefined ? undefined : LocustTest.default(before);
  // What was stored once must be able to go: finalizers and labels are changed on the way.
  if (old !== undefined && isEqual(old.spec, test.spec)) return;
  for (const problem of testProblems(test)) yield asFinding(problem);
  for (const { path, message } of testWarnings(test, { config, old })) yield { field: path, message, warn: true };
}
