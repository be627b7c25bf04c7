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

/**
 * A refused request with the complete `Status` for the client. Refusals are expected results, so they are returned, not
 * thrown.
 */
export class Refusal {
  readonly status: ServerStatus;

  constructor(status: ServerStatus) {
    this.status = status;
  }
}

/** A resource and the name of one of its objects. */
export interface Target {
  readonly group: string;
  readonly resource: string;
  readonly name: string;
}

/** Returns a 401. It gives no reason, so that an attacker learns nothing about credentials. */
export function unauthorized(): Refusal {
  return new Refusal(unauthorizedStatus());
}

/** Returns a 400: the request is malformed. */
export function badRequest(message: string): Refusal {
  return new Refusal(badRequestStatus(message));
}

/** Returns a 403: the user is not allowed to do this. */
export function forbidden(target: Target, why: string): Refusal {
  return new Refusal(forbiddenStatus(target, target.name, why));
}

/** Returns a 404: the object does not exist. */
export function notFound(target: Target): Refusal {
  return new Refusal(notFoundStatus(target, target.name));
}

/** Returns a 409: the request is for a different state or instance of the object. */
export function conflict(target: Target, why: string): Refusal {
  return new Refusal(conflictStatus(target, target.name, why));
}

/** Returns a 500: the server failed. */
export function internalError(why: string): Refusal {
  return new Refusal(internalErrorStatus(why));
}

/** A validation error of a field. */
export interface FieldProblem {
  /** Path of the field: `spec.expirationSeconds`. */
  readonly field: string;
  readonly type: "Invalid" | "Required";
  /** Current value as formatted for the message; undefined for a missing value. */
  readonly shown?: string;
  readonly detail: string;
}

/** Returns a 422: fields are invalid. `resource` of the target is the kind. */
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
