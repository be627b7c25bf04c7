import { isRecord, type JsonRecord } from "@homeostat/core";

/** An error response of the API server in memory. */
export class Refusal extends Error {
  readonly status: number;
  readonly reason: string;
  readonly details: JsonRecord;

  constructor({
    status,
    reason,
    message,
    details = {},
  }: {
    readonly status: number;
    readonly reason: string;
    readonly message: string;
    readonly details?: JsonRecord;
  }) {
    super(message);
    this.status = status;
    this.reason = reason;
    this.details = details;
  }

  /** The `Status` object of the response. */
  get body(): JsonRecord {
    const { status: code, reason, message, details } = this;
    return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", reason, message, details, code };
  }
}

/** Builds the refusal of a request about an object that does not exist. */
export function notFound(collection: string, name: string): Refusal {
  const message = `${collection} "${name}" not found`;
  return new Refusal({ status: 404, reason: "NotFound", message, details: { kind: collection, name } });
}

/** Builds the refusal of an object that violates a rule. */
export function invalid(message: string, causes: readonly JsonRecord[] = []): Refusal {
  return new Refusal({ status: 422, reason: "Invalid", message, details: { causes } });
}

/** Builds the refusal of a write that expects another state of the object. */
export function conflict(message: string, causes: readonly JsonRecord[] = []): Refusal {
  return new Refusal({ status: 409, reason: "Conflict", message, details: causes.length === 0 ? {} : { causes } });
}

/** Returns a value as a record; throws the refusal of an unreadable body otherwise. */
export function recordIn(value: unknown): JsonRecord {
  if (isRecord(value)) return value;
  throw new Refusal({ status: 400, reason: "BadRequest", message: "the body of the request is not an object" });
}
