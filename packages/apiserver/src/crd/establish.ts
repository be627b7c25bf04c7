import type { JsonRecord } from "@homeostat/core";
import { approvalOf } from "./approval.ts";
import { bundleProblem } from "./check-conversion.ts";
import { type FoundCondition, holds, says, withCondition } from "./conditions.ts";
import { valueAtPath } from "./read.ts";

/** The definition with the condition that it is served; the same object when there is nothing to say. */
export function withEstablished(object: JsonRecord, nowMs: number): JsonRecord {
  if (!holds(object, "NamesAccepted") || holds(object, "Established")) return object;
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
  return says(object, found) ? object : withCondition(object, found, nowMs);
}

const words = {
  approved: { status: "True", reason: "ApprovedAnnotation" },
  bypassed: { status: "False", reason: "UnapprovedAnnotation" },
  invalid: { status: "False", reason: "InvalidAnnotation" },
  missing: { status: "False", reason: "MissingAnnotation" },
} as const;

/** The definition with the condition of its approval, where its group needs one; the same object when that is said. */
export function withApproval(object: JsonRecord, nowMs: number): JsonRecord {
  const approval = approvalOf(object);
  if (approval === undefined) return object;
  const found: FoundCondition = {
    type: "KubernetesAPIApprovalPolicyConformant",
    ...words[approval.state],
    message: approval.reason,
  };
  return says(object, found) ? object : withCondition(object, found, nowMs);
}
