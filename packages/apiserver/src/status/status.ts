import { HomeostatError } from "@homeostat/core";

/** One thing that is wrong with a request. Keys stand in the order in which a server prints them. */
export interface ServerStatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

/** Which object an answer is about. */
export interface ServerStatusDetails {
  readonly name?: string;
  readonly group?: string;
  /** The plural of the resource; for invalid objects their kind. */
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly ServerStatusCause[];
  readonly retryAfterSeconds?: number;
}

/** The answer of an API server that is no object: a `Status` of `v1`, ready to be sent as JSON. */
export interface ServerStatus {
  readonly kind: "Status";
  readonly apiVersion: "v1";
  readonly metadata: { readonly continue?: string };
  readonly status: "Success" | "Failure";
  readonly message?: string;
  readonly reason?: string;
  readonly details?: ServerStatusDetails;
  /** The HTTP status code. */
  readonly code?: number;
}

/** What a failure is made of; what is absent does not show in the answer. */
export interface Failure {
  readonly code: number;
  readonly reason?: string;
  readonly message: string;
  readonly details?: ServerStatusDetails;
  /** A token to go on listing with; see {@link ServerStatus.metadata}. */
  readonly continue?: string;
}

/** A `Status` that tells a failure. */
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

/** The answer to a delete that left nothing to show: which object it was. */
export function deleted(details: ServerStatusDetails): ServerStatus {
  return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", details: withoutEmpty(details) };
}

/** Details in the order in which Go prints them, without what is empty. */
function withoutEmpty({ name, group, kind, uid, causes, retryAfterSeconds }: ServerStatusDetails): ServerStatusDetails {
  return {
    ...(isSaid(name) ? { name } : {}),
    ...(isSaid(group) ? { group } : {}),
    ...(isSaid(kind) ? { kind } : {}),
    ...(isSaid(uid) ? { uid } : {}),
    ...(causes === undefined || causes.length === 0 ? {} : { causes }),
    ...(retryAfterSeconds === undefined || retryAfterSeconds === 0 ? {} : { retryAfterSeconds }),
  };
}

function isSaid(text: string | undefined): text is string {
  return text !== undefined && text !== "";
}

/**
 * Thrown inside the server to answer a request with a `Status`.
 *
 * The message is the one that the client sees.
 */
export class StatusError extends HomeostatError {
  readonly code = "API_STATUS";
  readonly status: ServerStatus;

  constructor(status: ServerStatus, options?: ErrorOptions) {
    super(status.message ?? "", options);
    this.status = status;
  }
}
