import { formatGroupKind, type ResourceType } from "@homeostat/core";
import { causeReason, type Problem, shortMessage } from "@homeostat/schema";
import type { Cause, CauseReason, Finding } from "./findings.ts";

const causeReasons: ReadonlySet<string> = new Set<CauseReason>([
  "FieldValueInvalid",
  "FieldValueRequired",
  "FieldValueDuplicate",
  "FieldValueNotSupported",
  "FieldValueForbidden",
  "FieldValueNotFound",
  "FieldValueTooLong",
]);

/** Returns a problem of a schema or of a rule as a finding, with the reason that the API server reports for it. Long values are cut. */
export function findingOf(problem: Problem): Finding {
  const { path } = problem;
  const message = shortMessage(problem);
  const reason = causeReason(problem);
  return { field: path === "" ? "<nil>" : path, message, ...(isCauseReason(reason) && { reason }) };
}

function isCauseReason(text: string): text is CauseReason {
  return causeReasons.has(text);
}

/**
 * Returns a denial message in the format of the API server, for the `summary` of a validating webhook.
 *
 * @example
 * invalidMessage(Site, "a", causes); // 'Site.example.com "a" is invalid: spec.size: Invalid value: 0: must be at least 1'
 */
export function invalidMessage(
  type: Pick<ResourceType, "group" | "kind">,
  name: string,
  causes: readonly Cause[],
): string {
  const texts = causes.map(({ field, message }) => (field === undefined ? message : `${field}: ${message}`));
  return `${formatGroupKind(type)} "${name}" is invalid: ${texts.length === 1 ? texts[0] : `[${texts.join(", ")}]`}`;
}
