// Routing keys and hosts that must be unique in the cluster. Admission only finds stored objects; if two objects are created at the same time, the
// route compiler ignores the younger one.

import type { DeepReadonly } from "@homeostat/core";
import { forbiddenField, invalidField } from "@homeostat/schema";
import { previewHost } from "../api/names.ts";
import type { CachedRouteGroup } from "../api/route-group.ts";
import type { CachedSandbox, Endpoint } from "../api/sandbox.ts";
import { type ObjectProblem, problemOf } from "../validation/problem.ts";
import type { ClusterReader } from "./cluster-reader.ts";

/** A Sandbox or RouteGroup. An object that is being created has no status yet. */
export type KeyOwner = WithoutStatus<CachedSandbox> | WithoutStatus<CachedRouteGroup>;

type WithoutStatus<T extends { readonly status: { readonly routingKey?: string } }> = Omit<T, "status"> & {
  readonly status?: Pick<T["status"], "routingKey"> | undefined;
};

/** Returns the key that an object has or requests. */
export function routingKeyOf({ spec, status }: KeyOwner): string | undefined {
  return status?.routingKey ?? spec.routingKey;
}

/** Returns problems if another object has the same routing key or the same preview hosts. */
export function uniquenessProblems(
  object: KeyOwner,
  {
    namespace,
    others,
    domain,
  }: { readonly namespace: string; readonly others: readonly KeyOwner[]; readonly domain: string },
): ObjectProblem[] {
  const rivals = others.filter((other) => !isSame(other, object, namespace));
  return [...keyProblems(object, rivals, namespace), ...hostProblems(object, { rivals, namespace, domain })];
}

function* keyProblems(object: KeyOwner, rivals: readonly KeyOwner[], namespace: string): Iterable<ObjectProblem> {
  const { routingKey } = object.spec;
  if (routingKey === undefined) return;
  const rival = rivals.find((other) => routingKeyOf(other) === routingKey);
  if (rival === undefined) return;
  const detail = `is the key of ${describe(rival, namespace)}; choose another key, or leave it empty for a generated one`;
  yield problemOf("RoutingKeyTaken", invalidField("spec.routingKey", routingKey, detail));
}

function* hostProblems(
  object: KeyOwner,
  {
    rivals,
    namespace,
    domain,
  }: { readonly rivals: readonly KeyOwner[]; readonly namespace: string; readonly domain: string },
): Iterable<ObjectProblem> {
  for (const [index, { host }] of object.spec.endpoints.entries()) {
    if (host === undefined) continue;
    const rival = rivals.find((other) => hostsOf(other, domain).includes(host));
    if (rival === undefined) continue;
    const detail = `is the host of ${describe(rival, namespace)}; choose another host, or leave it empty for a generated one`;
    yield problemOf("HostTaken", invalidField(`spec.endpoints[${index}].host`, host, detail));
  }
}

/** Returns the preview hosts of an object, given and generated. */
function hostsOf(object: KeyOwner, domain: string): string[] {
  const endpoints: readonly DeepReadonly<Endpoint>[] = object.spec.endpoints;
  const routingKey = routingKeyOf(object);
  return endpoints.flatMap(({ name, host }) => {
    if (host !== undefined) return [host];
    return routingKey === undefined || domain === "" ? [] : [previewHost({ endpoint: name, routingKey, domain })];
  });
}

/**
 * Returns the name of an object of the same namespace. Names from other namespaces are not revealed, because the user may lack permission to read
 * them.
 */
function describe({ kind, metadata }: KeyOwner, namespace: string): string {
  return metadata.namespace === namespace ? `${kind} ${metadata.name ?? ""}` : `a ${kind} of another namespace`;
}

function isSame(a: KeyOwner, b: KeyOwner, namespace: string): boolean {
  return a.kind === b.kind && a.metadata.name === b.metadata.name && a.metadata.namespace === namespace;
}

/** Returns a problem if the spec requests a key other than the generated one. The schema compares only keys of specs. */
export function keyChangeProblems({ kind, spec }: KeyOwner, old: KeyOwner | undefined): ObjectProblem[] {
  const inForce = old === undefined ? undefined : routingKeyOf(old);
  if (inForce === undefined || spec.routingKey === undefined || spec.routingKey === inForce) return [];
  const detail = `the key of this ${kind} is ${inForce} and never changes; remove the field, or create another object`;
  return [problemOf("RoutingKeyChanged", forbiddenField("spec.routingKey", detail))];
}

/** Reports whether an object requests a key or a host that it did not have before. */
export function asksForUnique({ spec }: KeyOwner, old: KeyOwner | undefined): boolean {
  const hosts = new Set(old?.spec.endpoints.map(({ host }) => host));
  const hasNewHost = spec.endpoints.some(({ host }) => host !== undefined && !hosts.has(host));
  return hasNewHost || (spec.routingKey !== undefined && spec.routingKey !== old?.spec.routingKey);
}

/** Reads all objects that have routing keys and preview hosts. */
export async function readOwners(
  reader: Pick<ClusterReader, "routeGroups" | "sandboxes">,
  signal: AbortSignal,
): Promise<KeyOwner[]> {
  const [sandboxes, groups] = await Promise.all([reader.sandboxes(undefined, signal), reader.routeGroups(signal)]);
  return [...sandboxes, ...groups];
}
