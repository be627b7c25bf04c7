// Problems that prevent the derivation of a fork.

import { cutText } from "@homeostat/core";
import { messageLengthMax } from "../api/spec-common.ts";

/** The reason why no fork is derived, as conditions show it. */
export type RefusalReason =
  | "InvalidSpec"
  | "InvalidReference"
  | "PatchFailed"
  | "PatchForbidden"
  | "LabelsMatchBaseline";

/** One problem of an entry. */
export interface ForkProblem {
  /** Field of the Sandbox: `spec.services[cart].patches[0]`. */
  readonly path: string;
  /** The value, the problem, and the next step. */
  readonly message: string;
}

/** The result for an entry from which no fork can be derived. A retry fails again until the Sandbox or the baseline changes. */
export interface Refusal {
  readonly reason: RefusalReason;
  /** All problems of this reason. Never empty. */
  readonly problems: readonly ForkProblem[];
}

/** Reports whether a result is a refusal. */
export function isRefusal(result: object): result is Refusal {
  return "problems" in result && "reason" in result;
}

/** Returns the path of a field of an entry: `entryField("cart", "patches[0]")`. */
export function entryField(entry: string, field: string): string {
  return `spec.services[${entry}].${field}`;
}

/** Returns all problems as the message of a condition or an entry. */
export function refusalMessage({ problems }: Refusal): string {
  return cutText(problems.map(({ path, message }) => `${path}: ${message}`).join("; "), messageLengthMax);
}
