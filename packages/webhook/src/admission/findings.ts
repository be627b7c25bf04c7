import { cutText } from "@homeostat/core";
import type { Denial } from "../errors.ts";

/** One thing a validator has to say about an object. */
export interface Finding {
  /** The field, as users write it: `spec.worker.replicas`. Left out when it is about the object as a whole. */
  readonly field?: string;
  readonly message: string;
  /** Only tell the user, and let the request pass. */
  readonly warn?: boolean;
  /** Kubernetes' word for what is wrong with the field. Default `FieldValueInvalid`. */
  readonly reason?: CauseReason;
}

/** Kubernetes' words for what is wrong with a field. */
export type CauseReason =
  | "FieldValueInvalid"
  | "FieldValueRequired"
  | "FieldValueDuplicate"
  | "FieldValueNotSupported"
  | "FieldValueForbidden"
  | "FieldValueNotFound"
  | "FieldValueTooLong";

/** What a generator yields, at once or bit by bit. */
export type Findings = Iterable<Finding> | AsyncIterable<Finding>;

/** What an admission webhook has decided. */
export interface Verdict {
  readonly warnings: readonly string[];
  /** Present when it says no. */
  readonly denial?: {
    readonly code: number;
    readonly reason: string;
    readonly message: string;
    readonly causes: Cause[];
  };
}

/** One field of a denial, as it stands in a Kubernetes status. */
export interface Cause {
  readonly reason: string;
  readonly message: string;
  readonly field?: string;
}

// An API server cuts what is longer, and from 4096 characters on all of them. A generator that never ends has to end here.
const warningLengthMax = 256;
const warningsLengthMax = 4096;
const messageLengthMax = 1024;
const denialLengthMax = 4 * messageLengthMax;
const findingsMax = 1000;
const causesMax = 100;

/** Runs a validator to its end and sums up what it found, in other words where `summary` has some. */
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
      const warning = cutText(describe(finding.field, message), warningLengthMax);
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
 * Returns the message with which a webhook denies these findings; empty when there are none.
 *
 * For controllers that check an object again, because the webhook may have been off: the status shows what admission would have said.
 */
export function denialMessage(findings: readonly Finding[]): string {
  const causes = findings.filter(({ warn }) => warn !== true).slice(0, causesMax);
  return cutText(join(causes.map(causeOf)), denialLengthMax);
}

function causeOf({ field, message, reason = "FieldValueInvalid" }: Finding): Cause {
  return { reason, message: cutText(message, messageLengthMax), ...(field !== undefined && { field }) };
}

function join(causes: readonly Cause[]): string {
  return causes.map(({ field, message }) => describe(field, message)).join("; ");
}

function describe(field: string | undefined, message: string): string {
  return field === undefined ? message : `${field}: ${message}`;
}
