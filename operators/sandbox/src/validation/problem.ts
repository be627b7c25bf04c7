// Problems of objects, as webhooks, statuses and the command line show them.

import { denialMessage, type Finding } from "homeostat";
import { cutText } from "@homeostat/core";
import { causeReason, type Problem, shortMessage } from "@homeostat/schema";
import { messageLengthMax } from "../api/spec-common.ts";

/** A problem that prevents the use of an object. */
export interface ObjectProblem {
  /** The field: `spec.services[0].patches[1].value`. */
  readonly path: string;
  /** The name of the rule: `PatchInvalid`. `SchemaInvalid` for problems that the schema of the kind finds. */
  readonly code: string;
  /** The value, the reason and the next step. */
  readonly message: string;
  /** The reason that the API server would give. */
  readonly reason: NonNullable<Finding["reason"]>;
}

/** A setting that the user may not have intended. It does not prevent the use of the object. */
export interface ObjectWarning {
  readonly path: string;
  readonly message: string;
}

/** Returns a problem of the schema package with the name of its rule. */
export function problemOf(code: string, problem: Problem): ObjectProblem {
  return { path: problem.path, code, message: shortMessage(problem), reason: reasonOf(problem) };
}

/** Returns a problem as a finding of a webhook. */
export function findingOf({ path, message, reason }: ObjectProblem): Finding {
  return path === "" ? { message, reason } : { field: path, message, reason };
}

/** Returns problems in one text, the same as in the response of a webhook, cut to the length of a message of a status. */
export function describeProblems(problems: readonly ObjectProblem[]): string {
  return cutText(denialMessage(problems.map(findingOf)), messageLengthMax);
}

const reasons: ReadonlySet<string> = new Set<ObjectProblem["reason"]>([
  "FieldValueRequired",
  "FieldValueDuplicate",
  "FieldValueNotSupported",
  "FieldValueForbidden",
  "FieldValueNotFound",
  "FieldValueTooLong",
]);

function reasonOf(problem: Problem): ObjectProblem["reason"] {
  const reason = causeReason(problem);
  return isReason(reason) ? reason : "FieldValueInvalid";
}

function isReason(text: string): text is ObjectProblem["reason"] {
  return reasons.has(text);
}
