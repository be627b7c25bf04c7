import { forbiddenAttemptStatus } from "../status/refusals.ts";
import { Refusal } from "./refusal.ts";
import type { User } from "./user.ts";

/** What a user wants to do with a resource. Empty texts stand for what does not apply. */
export interface ResourceAttributes {
  readonly user: User;
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  /** Empty for the whole cluster. */
  readonly namespace: string;
  /** Empty when no single object is meant. */
  readonly name: string;
}

/** What a user wants to do with a path that is no resource: `get` of `/healthz`. */
export interface PathAttributes {
  readonly user: User;
  readonly verb: string;
  readonly path: string;
}

/** What somebody wants to do: the question to authorization. */
export type Attributes = ResourceAttributes | PathAttributes;

/** The answer of authorization. */
export interface Decision {
  readonly isAllowed: boolean;
  /** Which binding allows it, or what could not be resolved; empty when there is nothing to say. */
  readonly reason: string;
}

/** Answers questions. */
export interface Authorizer {
  authorize(attributes: Attributes): Decision;
}

/** Whether the question is about a path rather than a resource. */
export function isPathRequest(attributes: Attributes): attributes is PathAttributes {
  return "path" in attributes;
}

/** The 403 to somebody who may not do this, in the words of the API server. */
export function forbiddenAnswer(attributes: Attributes, reason: string): Refusal {
  return new Refusal(forbiddenAttemptStatus({ ...attributes, user: attributes.user.name }, reason));
}

/** A resource with its subresource: `pods/log`. */
export function combinedResource({ resource, subresource }: ResourceAttributes): string {
  return subresource === "" ? resource : `${resource}/${subresource}`;
}
