import { type BoundedJsonOptions, parseBoundedJson } from "../value/bounded-json.ts";
import { cutText } from "../value/text.ts";
import { isList, isRecord, type JsonRecord, ownValue } from "../value/record.ts";

/** A cause in the details of a `Status`. */
export interface StatusCause {
  /** The field: `spec.replicas`. Absent if it is about the whole request. */
  readonly field?: string;
  /** The kind of problem: `FieldValueInvalid`, `FieldManagerConflict`. */
  readonly reason?: string;
  readonly message?: string;
}

/** The object that a `Status` is about, as far as the server names it. */
export interface StatusDetails {
  readonly group?: string;
  /** The kind or, for most errors, the plural of the resource. */
  readonly kind?: string;
  readonly name?: string;
  readonly uid?: string;
}

/** The content of the body of an error response. */
export interface StatusBody {
  /** True if it was a `Status` of Kubernetes. False if it was something else, such as the error page of a proxy. */
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
 * Limits for parsing a Status. The body may come from any program behind a proxy, so it is not parsed beyond them.
 *
 * kube-apiserver lists every invalid field as a cause, so a Status can be long, but it is never nested deeper than its causes.
 */
const statusLimits: BoundedJsonOptions = {
  what: "Status",
  bytesMax: 4 * 1024 * 1024,
  depthMax: 16,
  valuesMax: 40_000,
  keysMax: 20_000,
  distinctKeysMax: 1_000,
};

/**
 * Parses the body of an error response. Never throws.
 *
 * The body may be anything: a `Status`, parsed or as text or bytes; the error page of a proxy; or a truncated one of these.
 * Unexpected fields are omitted, and long texts are truncated.
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
  // A cheap check first: most bodies that are not a Status are not JSON either.
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
