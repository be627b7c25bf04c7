import { HomeostatError } from "@homeostat/core";

/** A cause of a failure. The fields are in the order in which kube-apiserver writes them. */
export interface ServerStatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

/** The object that a status is about, and details of the failure. */
export interface ServerStatusDetails {
  readonly name?: string;
  readonly group?: string;
  /** Plural name of the resource; for invalid objects, their kind. */
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly ServerStatusCause[];
  readonly retryAfterSeconds?: number;
}

/** A `v1` `Status` object, ready to be sent as JSON. */
export interface ServerStatus {
  readonly kind: "Status";
  readonly apiVersion: "v1";
  readonly metadata: { readonly continue?: string };
  readonly status: "Success" | "Failure";
  readonly message?: string;
  readonly reason?: string;
  readonly details?: ServerStatusDetails;
  /** HTTP status code. */
  readonly code?: number;
}

/** Content of a failure status. Absent fields are omitted from the response. */
export interface Failure {
  readonly code: number;
  readonly reason?: string;
  readonly message: string;
  readonly details?: ServerStatusDetails;
  /** Continue token for a list; see {@link ServerStatus.metadata}. */
  readonly continue?: string;
}

/** Returns a failure `Status`. */
export function failure({ code, reason, message, details, continue: token }: Failure): ServerStatus {
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: token === undefined ? {} : { continue: token },
    status: "Failure",
    message,
    ...(reason === undefined ? {} : { reason }),
    ...(details === undefined ? {} : { details: withoutEmpty(details) }),
    code,
  };
}

/** Returns the success `Status` of a delete, with the deleted object in its details. */
export function deleted(details: ServerStatusDetails): ServerStatus {
  return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", details: withoutEmpty(details) };
}

/** Returns details in the order in which Go writes them, without empty fields. */
function withoutEmpty({ name, group, kind, uid, causes, retryAfterSeconds }: ServerStatusDetails): ServerStatusDetails {
  return {
    ...(isNonEmpty(name) ? { name } : {}),
    ...(isNonEmpty(group) ? { group } : {}),
    ...(isNonEmpty(kind) ? { kind } : {}),
    ...(isNonEmpty(uid) ? { uid } : {}),
    ...(causes === undefined || causes.length === 0 ? {} : { causes }),
    ...(retryAfterSeconds === undefined || retryAfterSeconds === 0 ? {} : { retryAfterSeconds }),
  };
}

function isNonEmpty(text: string | undefined): text is string {
  return text !== undefined && text !== "";
}

/**
 * Thrown inside the server to respond to a request with a `Status`.
 *
 * The error message is the one that the client sees.
 */
export class StatusError extends HomeostatError {
  readonly code = "API_STATUS";
  readonly status: ServerStatus;

  constructor(status: ServerStatus, options?: ErrorOptions) {
    super(status.message ?? "", options);
    this.status = status;
  }
}
