import type { HandlerResponse } from "../http/handler.ts";
import type { AuthorizedRequest } from "./context.ts";

/**
 * The handler of an endpoint that does more than read or write a stored object: access reviews, `pods/log`, `serviceaccounts/token`,
 * `scale`.
 *
 * It is called after authorization. Returning undefined passes the request to the generic endpoints; errors are thrown as `StatusError`.
 */
export type SpecialHandler = (authorized: AuthorizedRequest) => Promise<HandlerResponse | undefined>;

/** A handler and the resource that it is for. */
export interface SpecialEndpoint {
  /** Empty for the core group; `*` for every group. */
  readonly group: string;
  /** The plural; `*` for every resource. */
  readonly resource: string;
  /** Empty for the resource itself. */
  readonly subresource: string;
  readonly handle: SpecialHandler;
}

/** A table of special endpoints. An endpoint of one resource takes precedence over one of all resources. */
export class SpecialEndpoints {
  readonly #handlers = new Map<string, SpecialHandler>();

  constructor(endpoints: Iterable<SpecialEndpoint> = []) {
    for (const endpoint of endpoints) this.add(endpoint);
  }

  /** Adds an endpoint; replaces an earlier one of the same resource and subresource. */
  add({ group, resource, subresource, handle }: SpecialEndpoint): void {
    this.#handlers.set(keyOf(group, resource, subresource), handle);
  }

  find(group: string, resource: string, subresource: string): SpecialHandler | undefined {
    return this.#handlers.get(keyOf(group, resource, subresource)) ?? this.#handlers.get(keyOf("*", "*", subresource));
  }
}

function keyOf(group: string, resource: string, subresource: string): string {
  return `${resource}.${group}/${subresource}`;
}
