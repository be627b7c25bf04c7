import { ArgumentError } from "@homeostat/core";
import { Pipeline } from "./pipeline.ts";
import type { Layer, Request } from "./transport.ts";

/**
 * Marks every request with an id that the API server writes into its audit log, as the header `Audit-ID`.
 *
 * `current` is asked per request; undefined leaves it unmarked, and a request that has the header keeps its own. One id
 * may mark many requests: all those of one reconcile.
 */
export function withCorrelation(current: () => string | undefined): Layer {
  return (next) => new Pipeline(next, { mark: marking(current) });
}

/** The same as {@link withCorrelation}, as a stage of a {@link Pipeline}. */
export function marking(current: () => string | undefined): (request: Request) => Request {
  // One id marks many requests, and was looked at before.
  let last: string | undefined;
  return (request) => {
    const id = isMarked(request) ? undefined : current();
    if (id === undefined) return request;
    if (id !== last && !/^[\x21-\x7e]{1,64}$/.test(id)) {
      const problem = `is ${JSON.stringify(id.slice(0, 100))}; a correlation id is 1 to 64 visible ASCII characters.`;
      throw new ArgumentError({ argument: "id", problem });
    }
    last = id;
    return { ...request, headers: { ...request.headers, "audit-id": id } };
  };
}

function isMarked({ headers }: Request): boolean {
  if (headers === undefined) return false;
  for (const name of Object.keys(headers)) if (name.length === 8 && name.toLowerCase() === "audit-id") return true;
  return false;
}
