import type { JsonRecord } from "@homeostat/core";
import type { Field } from "../kinds/shared/field.ts";
import { recordOf, textOf } from "./read.ts";

const annotation = "api-approved.kubernetes.io";
const more = "see https://github.com/kubernetes/enhancements/pull/1111";

/** Whether a definition in a group of the community has the approval of that community. */
export interface Approval {
  readonly state: "approved" | "bypassed" | "invalid" | "missing";
  readonly reason: string;
}

/** What the annotations of a definition say of its approval; undefined where its group needs none. */
export function approvalOf(definition: JsonRecord): Approval | undefined {
  const group = textOf(recordOf(definition, "spec"), "group");
  return /(?:^|\.)(?:k8s|kubernetes)\.io$/.test(group) ? annotated(definition) : undefined;
}

function annotated(definition: JsonRecord): Approval {
  const said = textOf(recordOf(recordOf(definition, "metadata"), "annotations"), annotation);
  const must = `protected groups must have approval annotation "${annotation}"`;
  if (said === "") return { state: "missing", reason: `${must}, ${more}` };
  if (said.startsWith("unapproved")) return { state: "bypassed", reason: `not approved: ${JSON.stringify(said)}` };
  if (/^[a-z][a-z0-9+.-]*:\/\/[^/?#\s]+/i.test(said)) return { state: "approved", reason: `approved in ${said}` };
  return { state: "invalid", reason: `${must} with either a URL or a reason starting with "unapproved", ${more}` };
}

/** Complains of a missing or wrong approval, unless it was so before. */
export function checkApproval(object: Field, old: JsonRecord | undefined, definition: JsonRecord): void {
  const approval = approvalOf(definition);
  if (approval === undefined) return;
  if (old !== undefined && annotated(old).state === approval.state) return;
  const said = object.at("metadata").at("annotations").at(annotation).as(`metadata.annotations[${annotation}]`);
  if (approval.state === "missing") said.required(approval.reason);
  if (approval.state === "invalid") said.invalid(approval.reason);
}
