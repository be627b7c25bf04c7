import type { Answer } from "../http/handler.ts";
import type { Admitted } from "./context.ts";

/**
 * An endpoint that is not simply an object of the store: access reviews, `pods/log`, `serviceaccounts/token`, `scale`.
 *
 * It is asked after its caller was found to have the right. Undefined leaves the request to the general endpoints; refusals
 * are thrown as `StatusError`.
 */
export type SpecialHandler = (admitted: Admitted) => Promise<Answer | undefined>;

/** An endpoint and the paths it is for. */
export interface SpecialEndpoint {
  /** Empty for the core group; `*` for every group. */
  readonly group: string;
  /** The plural; `*` for every resource. */
  readonly resource: string;
  /** Empty for the resource itself. */
  readonly subresource: string;
  readonly handle: SpecialHandler;
}

/** Finds the endpoint for a path: an exact one before one for all. */
export class SpecialEndpoints {
  readonly #handlers = new Map<string, SpecialHandler>();

  constructor(endpoints: Iterable<SpecialEndpoint> = []) {
    for (const endpoint of endpoints) this.add(endpoint);
  }

  /** Takes an endpoint, in place of an earlier one for the same path. */
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
