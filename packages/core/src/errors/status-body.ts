import { type BoundedJsonOptions, parseBoundedJson } from "../value/bounded-json.ts";
import { cutText } from "../value/text.ts";
import { isList, isRecord, type JsonRecord, ownValue } from "../value/record.ts";

/** One thing that is wrong with a request, as the server tells it. */
export interface StatusCause {
  /** Where: `spec.replicas`. Absent when it is about the request as a whole. */
  readonly field?: string;
  /** What kind of thing: `FieldValueInvalid`, `FieldManagerConflict`. */
  readonly reason?: string;
  readonly message?: string;
}

/** Which object an answer is about, as far as the server tells it. */
export interface StatusDetails {
  readonly group?: string;
  /** The kind, or, for most errors, the plural of the resource. */
  readonly kind?: string;
  readonly name?: string;
  readonly uid?: string;
}

/** What is in the body of an answer that is no success. */
export interface StatusBody {
  /** Whether it was a `Status` of Kubernetes' rather than a text of something on the way. */
  readonly isStatus: boolean;
  readonly message: string;
  readonly reason: string;
  readonly details: StatusDetails;
  readonly causes: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

const messageLengthMax = 8192;
const nameLengthMax = 512;
const causesMax = 256;
/**
 * Limits of a Status. The body may be from any program behind a proxy, so it is not parsed beyond them.
 *
 * kube-apiserver lists every invalid field as a cause, so a Status can be long, but it is never nested deeper than its causes.
 */
const statusLimits: BoundedJsonOptions = {
  what: "Status",
  bytesMax: 4 * 1024 * 1024,
  depthMax: 16,
  valuesMax: 200_000,
};

/**
 * Reads the body of an answer that is no success; never throws.
 *
 * The body may be anything: a `Status`, parsed or as text or as bytes; a page of a proxy; half of either. What is
 * not as expected is left out, what is too long is cut.
 */
export function readStatusBody(body: unknown): StatusBody {
  const decoded =
    body instanceof Uint8Array ? new TextDecoder().decode(body.subarray(0, statusLimits.bytesMax + 1)) : body;
  const value = typeof decoded === "string" ? parse(decoded) : decoded;
  if (isRecord(value)) return readRecord(value);
  const text = typeof decoded === "string" ? decoded.trim() : "";
  return { isStatus: false, message: cutText(text, messageLengthMax), reason: "", details: {}, causes: [] };
}

function parse(text: string): unknown {
  // A cheap look first: most of what is not a Status is not JSON either.
  if (text.length > statusLimits.bytesMax || !/^\s*\{/.test(text)) return undefined;
  try {
    return parseBoundedJson(text, statusLimits);
  } catch {
    return undefined;
  }
}

function readRecord(value: JsonRecord): StatusBody {
  const details = ownValue(value, "details");
  const inner = isRecord(details) ? details : {};
  const causes = ownValue(inner, "causes");
  const seconds = ownValue(inner, "retryAfterSeconds");
  return {
    isStatus: ownValue(value, "kind") === "Status",
    message: textIn(value, "message", messageLengthMax) ?? "",
    reason: textIn(value, "reason", nameLengthMax) ?? "",
    details: readDetails(inner),
    causes: (isList(causes) ? causes.slice(0, causesMax) : []).filter(isRecord).map(readCause),
    ...(typeof seconds === "number" && seconds > 0 ? { retryAfterSeconds: seconds } : {}),
  };
}

function readDetails(record: JsonRecord): StatusDetails {
  const details: { -readonly [K in keyof StatusDetails]: StatusDetails[K] } = {};
  for (const key of ["group", "kind", "name", "uid"] as const) {
    const text = textIn(record, key, nameLengthMax);
    if (text !== undefined) details[key] = text;
  }
  return details;
}

function readCause(record: JsonRecord): StatusCause {
  const cause: { -readonly [K in keyof StatusCause]: StatusCause[K] } = {};
  for (const key of ["field", "reason", "message"] as const) {
    const text = textIn(record, key, key === "message" ? messageLengthMax : nameLengthMax);
    if (text !== undefined) cause[key] = text;
  }
  return cause;
}

function textIn(record: JsonRecord, key: string, lengthMax: number): string | undefined {
  const value = ownValue(record, key);
  return typeof value === "string" && value !== "" ? cutText(value, lengthMax) : undefined;
}
