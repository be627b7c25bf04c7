// Checks that preview addresses refer to existing Services.

import type { DeepReadonly } from "@homeostat/core";
import { invalidField } from "@homeostat/schema";
import type { Endpoint } from "../api/sandbox.ts";
import { parseEndpointTarget } from "../api/spec-endpoint.ts";
import { type ObjectProblem, problemOf } from "../validation/problem.ts";
import { mapBounded } from "./bounded.ts";
import type { ClusterReader } from "./cluster-reader.ts";

/** Returns problems of endpoints with a new target whose Service does not exist. */
export async function endpointServiceProblems(
  endpoints: readonly DeepReadonly<Endpoint>[],
  before: readonly DeepReadonly<Endpoint>[],
  { reader, signal }: { readonly reader: Pick<ClusterReader, "hasService">; readonly signal: AbortSignal },
): Promise<ObjectProblem[]> {
  const known = new Set(before.map(({ target }) => target));
  const problems = await mapBounded([...endpoints.entries()], async ([index, { target }]) => {
    const parsed = parseEndpointTarget(target);
    if (parsed === undefined || known.has(target)) return [];
    const { namespace, service } = parsed;
    if (await reader.hasService(namespace, service, signal)) return [];
    const detail = `Service ${service} does not exist in namespace ${namespace}; create it first, or correct the target`;
    return [problemOf("EndpointServiceMissing", invalidField(`spec.endpoints[${index}].target`, target, detail))];
  });
  return problems.flat();
}
