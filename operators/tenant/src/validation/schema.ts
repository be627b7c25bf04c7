import type { DeepReadonly } from "@homeostat/core";
import { apiVersion, kind } from "../api/identity.ts";
import { Tenant } from "../api/tenant.ts";
import type { Problem } from "./problem.ts";

/** What the schema has to say about a tenant. */
export interface SchemaVerdict {
  readonly problems: readonly Problem[];
  /** Whether something is of another type than it should be, or missing. */
  readonly isMisshapen: boolean;
}

const misshapen = new Set<Problem["type"]>(["TypeInvalid", "Required", "Internal"]);

// The same object is looked at on every pass; the cache hands out the same one until it changes.
const known = new WeakMap<object, SchemaVerdict>();

/**
 * What is wrong with a tenant by its schema, as the API server would say.
 *
 * A server with the current definition stores nothing of the kind. It can be there nevertheless: from before the
 * definition was changed.
 */
export function schemaProblems(tenant: DeepReadonly<Tenant>): SchemaVerdict {
  const before = known.get(tenant);
  if (before !== undefined) return before;
  const { metadata, spec } = tenant;
  const problems = Tenant.check({ apiVersion, kind, metadata: { name: metadata.name }, spec });
  const verdict = { problems, isMisshapen: problems.some(({ type }) => misshapen.has(type)) };
  known.set(tenant, verdict);
  return verdict;
}
