import type { JsonRecord } from "@homeostat/core";
import type { Field } from "../validation/field.ts";
import { recordOf, textOf } from "../values/properties.ts";

const annotation = "api-approved.kubernetes.io";
const more = "see https://github.com/kubernetes/enhancements/pull/1111";

/** State of the API approval of a definition in a protected group (`*.k8s.io`, `*.kubernetes.io`). */
export interface Approval {
  readonly state: "approved" | "bypassed" | "invalid" | "missing";
  readonly reason: string;
}

/** Returns the approval that the annotations of a definition declare; undefined if its group needs none. */
export function approvalOf(definition: JsonRecord): Approval | undefined {
  const group = textOf(recordOf(definition, "spec"), "group");
  return /(?:^|\.)(?:k8s|kubernetes)\.io$/.test(group) ? annotated(definition) : undefined;
}

function annotated(definition: JsonRecord): Approval {
  const value = textOf(recordOf(recordOf(definition, "metadata"), "annotations"), annotation);
  const must = `protected groups must have approval annotation "${annotation}"`;
  if (value === "") return { state: "missing", reason: `${must}, ${more}` };
  if (value.startsWith("unapproved")) return { state: "bypassed", reason: `not approved: ${JSON.stringify(value)}` };
  if (/^[a-z][a-z0-9+.-]*:\/\/[^/?#\s]+/i.test(value)) return { state: "approved", reason: `approved in ${value}` };
  return { state: "invalid", reason: `${must} with either a URL or a reason starting with "unapproved", ${more}` };
}

/** Reports a missing or invalid approval, unless the stored definition had the same state. */
export function checkApproval(object: Field, old: JsonRecord | undefined, definition: JsonRecord): void {
  const approval = approvalOf(definition);
  if (approval === undefined) return;
  if (old !== undefined && annotated(old).state === approval.state) return;
  const value = object.at("metadata").at("annotations").at(annotation).as(`metadata.annotations[${annotation}]`);
  if (approval.state === "missing") value.required(approval.reason);
  if (approval.state === "invalid") value.invalid(approval.reason);
}
