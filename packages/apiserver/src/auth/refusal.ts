import type { Problem } from "@homeostat/schema";
import {
  badRequestStatus,
  conflictStatus,
  forbiddenStatus,
  internalErrorStatus,
  invalidStatus,
  notFoundStatus,
  unauthorizedStatus,
} from "../status/refusals.ts";
import type { ServerStatus } from "../status/status.ts";

/** A no, with the whole `Status` that tells the client. An answer like others, so it is given and not thrown. */
export class Refusal {
  readonly status: ServerStatus;

  constructor(status: ServerStatus) {
    this.status = status;
  }
}

/** A resource of a group, and which object of it. */
export interface Target {
  readonly group: string;
  readonly resource: string;
  readonly name: string;
}

/** 401: the credentials are wrong. Says nothing of why, so that nobody learns from it. */
export function unauthorized(): Refusal {
  return new Refusal(unauthorizedStatus());
}

/** 400: the request cannot be understood. */
export function badRequest(message: string): Refusal {
  return new Refusal(badRequestStatus(message));
}

/** 403: the user may not do this. */
export function forbidden(target: Target, why: string): Refusal {
  return new Refusal(forbiddenStatus(target, target.name, why));
}

/** 404: there is no such object. */
export function notFound(target: Target): Refusal {
  return new Refusal(notFoundStatus(target, target.name));
}

/** 409: the object is another one than the request means. */
export function conflict(target: Target, why: string): Refusal {
  return new Refusal(conflictStatus(target, target.name, why));
}

/** 500: the server cannot answer. */
export function internalError(why: string): Refusal {
  return new Refusal(internalErrorStatus(why));
}

/** One thing that is wrong with a field. */
export interface FieldProblem {
  /** Where: `spec.expirationSeconds`. */
  readonly field: string;
  readonly type: "Invalid" | "Required";
  /** What stands there now, as the message shows it; a missing value shows none. */
  readonly shown?: string;
  readonly detail: string;
}

/** 422: fields are wrong. `resource` of the target is the kind. */
export function invalid({ group, resource: kind, name }: Target, problems: readonly FieldProblem[]): Refusal {
  return new Refusal(invalidStatus({ group, kind }, name, problems.map(asProblem)));
}

const titles = { Invalid: "Invalid value", Required: "Required value" } as const;

function asProblem({ field, type, shown, detail }: FieldProblem): Problem {
  const message = [titles[type], ...(shown === undefined ? [] : [shown]), ...(detail === "" ? [] : [detail])].join(
    ": ",
  );
  return { path: field, type, detail, message };
}
