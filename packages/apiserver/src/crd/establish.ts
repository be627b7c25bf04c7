import type { JsonRecord } from "@homeostat/core";
import { approvalOf } from "./approval.ts";
import { bundleProblem } from "./check-conversion.ts";
import { type FoundCondition, isTrue, hasCondition, withCondition } from "./conditions.ts";
import { valueAtPath } from "../values/properties.ts";

/** Returns the definition with the condition `Established`; the same object if it is up to date. */
export function withEstablished(object: JsonRecord, nowMs: number): JsonRecord {
  if (!isTrue(object, "NamesAccepted") || isTrue(object, "Established")) return object;
  const bundle = valueAtPath(object, ["spec", "conversion", "webhook", "clientConfig", "caBundle"]);
  const isBad = typeof bundle === "string" && bundleProblem(bundle) !== undefined;
  const found: FoundCondition = isBad
    ? {
        type: "Established",
        status: "False",
        reason: "InvalidCABundle",
        message: "The conversion webhook CABundle is invalid",
      }
    : {
        type: "Established",
        status: "True",
        reason: "InitialNamesAccepted",
        message: "the initial names have been accepted",
      };
  return hasCondition(object, found) ? object : withCondition(object, found, nowMs);
}

const approvalConditions = {
  approved: { status: "True", reason: "ApprovedAnnotation" },
  bypassed: { status: "False", reason: "UnapprovedAnnotation" },
  invalid: { status: "False", reason: "InvalidAnnotation" },
  missing: { status: "False", reason: "MissingAnnotation" },
} as const;

/**
 * Returns the definition with the condition of its API approval, if its group needs one; the same object if it is up to
 * date.
 */
export function withApproval(object: JsonRecord, nowMs: number): JsonRecord {
  const approval = approvalOf(object);
  if (approval === undefined) return object;
  const found: FoundCondition = {
    type: "KubernetesAPIApprovalPolicyConformant",
    ...approvalConditions[approval.state],
    message: approval.reason,
  };
  return hasCondition(object, found) ? object : withCondition(object, found, nowMs);
}
