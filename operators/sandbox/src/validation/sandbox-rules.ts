// Rules for Sandboxes.

import { qualifiedNameProblems } from "@homeostat/core";
import { entryPath, forbiddenField, imageProblems, invalidField, isPrintable, type Problem } from "@homeostat/schema";
import { durationSeconds, formatSeconds } from "../api/duration.ts";
import { apiVersion, keyPrefix } from "../api/identity.ts";
import { type CachedSandbox, Sandbox } from "../api/sandbox.ts";
import { endpointProblems } from "./endpoint-rules.ts";
import { entryRules } from "./entry-rules.ts";
import type { ObjectProblem } from "./problem.ts";
import { type Rule, rule, type RuleContext, validateObject } from "./rule.ts";

/** All rules for Sandboxes beyond the schema, in the order in which problems are reported. */
export const sandboxRules: readonly Rule<CachedSandbox>[] = [
  rule("TtlOutOfRange", function* ({ spec: { ttl } }, { config: { limits } }) {
    const seconds = durationSeconds(ttl);
    if (seconds === undefined) return;
    if (seconds === 0 && !limits.allowForever) {
      yield forbiddenField(
        "spec.ttl",
        `0 means no expiry, which limits.allowForever of the operator does not allow; set at most ${formatSeconds(limits.maxTtlSeconds)}`,
      );
    }
    if (seconds > limits.maxTtlSeconds) {
      yield invalidField(
        "spec.ttl",
        ttl,
        `must be at most ${formatSeconds(limits.maxTtlSeconds)}, limits.maxTTL of the operator`,
      );
    }
  }),
  rule("LabelReserved", function* ({ spec: { labels } }) {
    for (const key of Object.keys(labels)) {
      if (!key.startsWith(keyPrefix)) continue;
      yield forbiddenField(
        entryPath("spec.labels", key),
        `labels with the prefix ${keyPrefix} are set by the operator; use another key`,
      );
    }
  }),
  rule("LabelKeyInvalid", function* ({ spec: { labels } }) {
    for (const key of Object.keys(labels)) {
      if (key.startsWith(keyPrefix) || qualifiedNameProblems(key).length === 0) continue;
      yield invalidField(entryPath("spec.labels", key), key, "must be a label key, such as team or example.com/team");
    }
  }),
  rule("DescriptionInvalid", ({ spec: { description } }) => descriptionProblems(description)),
  ...entryRules,
  rule("EndpointInvalid", ({ spec: { endpoints } }, context) => endpointProblems(endpoints, context)),
  rule("HookImageInvalid", function* ({ spec: { provision } }) {
    for (const [index, hook] of provision.entries()) {
      yield* imageProblems(`spec.provision[${index}].create.image`, hook.create.image);
      yield* imageProblems(`spec.provision[${index}].delete.image`, hook.delete?.image);
    }
  }),
];

/** Yields a problem if a description has control characters other than line breaks. */
export function* descriptionProblems(description: string): Iterable<Problem> {
  if (isPrintable(description.replaceAll(/[\n\t]/g, ""))) return;
  yield invalidField(
    "spec.description",
    description,
    "must not contain control characters other than line breaks and tabs",
  );
}

const validation = {
  resource: Sandbox,
  rules: sandboxRules,
  complete: ({ metadata, spec }: CachedSandbox): CachedSandbox =>
    Sandbox.default({ apiVersion, kind: "Sandbox", metadata: { name: metadata.name ?? "" }, spec }),
};

/** Returns all problems of a Sandbox that follow from the object itself and the configuration. */
export function sandboxProblems(sandbox: CachedSandbox, context: RuleContext): readonly ObjectProblem[] {
  return validateObject(sandbox, validation, context);
}
