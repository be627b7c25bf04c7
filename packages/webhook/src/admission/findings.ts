import { cutText } from "@homeostat/core";
import type { Denial } from "../errors.ts";

/** A finding of a validator about an object. */
export interface Finding {
  /** Field path as users write it: `spec.worker.replicas`. Absent if the finding is about the whole object. */
  readonly field?: string;
  readonly message: string;
  /** True for a warning: the user sees it, and the request is allowed. */
  readonly warn?: boolean;
  /** Kubernetes' reason for an invalid field. Default `FieldValueInvalid`. */
  readonly reason?: CauseReason;
}

/** Reasons that Kubernetes has for an invalid field. */
export type CauseReason =
  | "FieldValueInvalid"
  | "FieldValueRequired"
  | "FieldValueDuplicate"
  | "FieldValueNotSupported"
  | "FieldValueForbidden"
  | "FieldValueNotFound"
  | "FieldValueTooLong";

/** Findings, from a synchronous or asynchronous generator. */
export type Findings = Iterable<Finding> | AsyncIterable<Finding>;

/** Decision of a validating webhook. */
export interface Verdict {
  readonly warnings: readonly string[];
  /** Present if the request is denied. */
  readonly denial?: {
    readonly code: number;
    readonly reason: string;
    readonly message: string;
    readonly causes: Cause[];
  };
}

/** A cause of a denial, as in the details of a Kubernetes `Status`. */
export interface Cause {
  readonly reason: string;
  readonly message: string;
  readonly field?: string;
}

// API servers truncate warnings above 256 characters, and all of them above 4096 characters in total. The other limits
// stop a generator that never ends.
const warningLengthMax = 256;
const warningsLengthMax = 4096;
const messageLengthMax = 1024;
// A path contains keys of maps, which the user chooses.
const fieldLengthMax = 1024;
const denialLengthMax = 4 * messageLengthMax;
const findingsMax = 1000;
const causesMax = 100;

/**
 * Runs a validator and collects its findings. `summary` returns the message of a denial; undefined for the default
 * message.
 */
export async function collectFindings(
  findings: Findings,
  { code = 422, reason = "Invalid" }: Denial = {},
  summary: (causes: readonly Cause[]) => string | undefined = () => undefined,
): Promise<Verdict> {
  const warnings: string[] = [];
  const causes: Cause[] = [];
  let length = 0;
  let count = 0;
  for await (const finding of findings) {
    const message = cutText(finding.message, messageLengthMax);
    if (finding.warn === true) {
      const field = finding.field === undefined ? undefined : cutText(finding.field, fieldLengthMax);
      const warning = cutText(describe(field, message), warningLengthMax);
      length += warning.length;
      if (length <= warningsLengthMax) warnings.push(warning);
    } else if (causes.length < causesMax) causes.push(causeOf(finding));
    count += 1;
    if (count === findingsMax) break;
  }
  if (causes.length === 0) return { warnings };
  const message = cutText(summary(causes) ?? join(causes), denialLengthMax);
  return { warnings, denial: { code, reason, message, causes } };
}

/**
 * Returns the message with which a webhook denies these findings; empty if none of them denies.
 *
 * For controllers that validate an object again because the webhook may have been unavailable: the status shows the
 * message that admission would have returned.
 */
export function denialMessage(findings: readonly Finding[]): string {
  const causes = findings.filter(({ warn }) => warn !== true).slice(0, causesMax);
  return cutText(join(causes.map(causeOf)), denialLengthMax);
}

function causeOf({ field, message, reason = "FieldValueInvalid" }: Finding): Cause {
  const path = field === undefined ? {} : { field: cutText(field, fieldLengthMax) };
  return { reason, message: cutText(message, messageLengthMax), ...path };
}

function join(causes: readonly Cause[]): string {
  return causes.map(({ field, message }) => describe(field, message)).join("; ");
}

function describe(field: string | undefined, message: string): string {
  return field === undefined ? message : `${field}: ${message}`;
}
