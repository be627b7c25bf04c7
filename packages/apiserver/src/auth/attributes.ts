import { forbiddenAttemptStatus } from "../status/refusals.ts";
import { Refusal } from "./refusal.ts";
import type { User } from "./user.ts";

/** A request on a resource, for authorization. Fields that do not apply are empty. */
export interface ResourceAttributes {
  readonly user: User;
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  /** Empty for the whole cluster. */
  readonly namespace: string;
  /** Empty if the request is not for a single object. */
  readonly name: string;
}

/** A request on a non-resource path: `get` on `/healthz`. */
export interface PathAttributes {
  readonly user: User;
  readonly verb: string;
  readonly path: string;
}

/** The attributes of a request that authorization decides on. */
export type Attributes = ResourceAttributes | PathAttributes;

/** The decision of an authorizer. */
export interface Decision {
  readonly isAllowed: boolean;
  /** The binding that allows the request, or the references that could not be resolved; may be empty. */
  readonly reason: string;
}

/** Decides whether requests are allowed. */
export interface Authorizer {
  authorize(attributes: Attributes): Decision;
}

/** Reports whether the attributes are those of a non-resource request. */
export function isPathRequest(attributes: Attributes): attributes is PathAttributes {
  return "path" in attributes;
}

/** Returns the 403 for a request that is not authorized, in the words of the API server. */
export function forbiddenRefusal(attributes: Attributes, reason: string): Refusal {
  return new Refusal(forbiddenAttemptStatus({ ...attributes, user: attributes.user.name }, reason));
}

/** Returns a resource with its subresource: `pods/log`. */
export function combinedResource({ resource, subresource }: ResourceAttributes): string {
  return subresource === "" ? resource : `${resource}/${subresource}`;
}
