import type { DeepReadonly, KubeObject, ResourceType } from "@homeostat/core";
import { Secret } from "@homeostat/kubernetes/core/v1";
import { fieldManager, labels, manager } from "../api/identity.ts";
import { names } from "../api/names.ts";
import { isOwned, type OwningTenant, refersTo } from "../ownership/owned.ts";
import { childTypes } from "./watches.ts";
import type { TenantContext } from "./tenant-context.ts";

/** Takes the tenant's reference off everything that was made for it, so that the garbage collector leaves it. */
export async function releaseChildren(context: TenantContext, namespace: string): Promise<void> {
  const { client, signal } = context.runtime;
  for await (const { type, object } of children(context, namespace)) {
    const merge = withoutReferences(object, context.tenant);
    const { name = "" } = object.metadata;
    if (merge !== undefined) await client.patch(type, { namespace, name }, { merge }, { fieldManager, signal });
  }
}

/** Deletes everything that was made for the tenant. Claims with data are nobody's but the StatefulSet's, and stay. */
export async function deleteChildren(context: TenantContext, namespace: string): Promise<void> {
  const { client, signal } = context.runtime;
  for await (const { type, object } of children(context, namespace)) {
    const { name = "", uid, deletionTimestamp } = object.metadata;
    if (deletionTimestamp !== undefined || uid === undefined) continue;
    await client.delete(type, { namespace, name }, { preconditions: { uid }, propagation: "Background", signal });
    context.dependencies.metrics.recordDeletion(type.kind, "success");
  }
}

/** Everything that was made for the tenant, as the server has it now. Workloads come first, policies last. */
async function* children(
  { runtime: { client, signal }, tenant, name }: TenantContext,
  namespace: string,
): AsyncGenerator<{ readonly type: ResourceType; readonly object: DeepReadonly<KubeObject> }> {
  for (const type of childTypes) {
    // Secrets are never listed.
    if (type.kind === Secret.kind) {
      const object = await client.get(type, { namespace, name: names.redisAuth(name) }, { signal });
      if (object !== undefined && isOwned(object, tenant)) yield { type, object };
      continue;
    }
    const { items } = await client.list(type, { namespace, labelSelector: `${labels.managedBy}=${manager}`, signal });
    for (const object of items) if (isOwned(object, tenant)) yield { type, object };
  }
}

/** A merge patch that takes the tenant off the owners of an object; undefined when it is not among them. */
export function withoutReferences(
  object: DeepReadonly<KubeObject>,
  tenant: Pick<OwningTenant, "metadata">,
): { readonly metadata: object } | undefined {
  if (!refersTo(object, tenant)) return undefined;
  const { resourceVersion, ownerReferences = [] } = object.metadata;
  return {
    metadata: {
      resourceVersion,
      ownerReferences: ownerReferences.filter(({ uid }) => uid !== tenant.metadata.uid),
    },
  };
}
