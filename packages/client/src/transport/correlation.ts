import { ArgumentError } from "@homeostat/core";
import { Pipeline } from "./pipeline.ts";
import type { Layer, Request } from "./transport.ts";

/**
 * Returns a layer that sends an ID with every request as the header `Audit-ID`, which the API server writes to its audit log.
 *
 * `current` is called for each request; undefined sends no ID. A request that already has the header keeps it. Many requests may
 * share an ID, such as all requests of one reconcile.
 */
export function withCorrelation(current: () => string | undefined): Layer {
  return (next) => new Pipeline(next, { transform: correlationStage(current) });
}

/** Returns the layer of {@link withCorrelation} as a stage of a {@link Pipeline}. */
export function correlationStage(current: () => string | undefined): (request: Request) => Request {
  // Consecutive requests often have the same ID, which then is validated once.
  let last: string | undefined;
  return (request) => {
    const id = hasAuditId(request) ? undefined : current();
    if (id === undefined) return request;
    if (id !== last && !/^[\x21-\x7e]{1,64}$/.test(id)) {
      const problem = `is ${JSON.stringify(id.slice(0, 100))}; a correlation ID must be 1 to 64 visible ASCII characters.`;
      throw new ArgumentError({ argument: "id", problem });
    }
    last = id;
    return { ...request, headers: { ...request.headers, "audit-id": id } };
  };
}

function hasAuditId({ headers }: Request): boolean {
  if (headers === undefined) return false;
  for (const name of Object.keys(headers)) if (name.length === 8 && name.toLowerCase() === "audit-id") return true;
  return false;
}
