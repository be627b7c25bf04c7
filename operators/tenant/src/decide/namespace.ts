import { controllerOf, type DeepReadonly } from "@homeostat/core";
import type { Namespace } from "@homeostat/kubernetes/core/v1";
import { annotations } from "../api/identity.ts";
import { isOwned, type OwningTenant } from "../ownership/owned.ts";

/** What to do about the namespace of a tenant: the table of section 8. */
export type NamespaceDecision =
  | { readonly do: "create" }
  /** It is ours: see that it is as it should be. */
  | { readonly do: "keep" }
  /** It is not ours, and its owner agrees that it becomes so. */
  | { readonly do: "adopt" }
  /** It is on its way out. `wasOurs`: somebody has deleted it under the tenant. */
  | { readonly do: "wait"; readonly wasOurs: boolean }
  /** It is somebody else's. */
  | { readonly do: "conflict" };

/** Decides what to do about the namespace that was found. */
export function decideNamespace(
  found: DeepReadonly<Namespace> | undefined,
  tenant: OwningTenant,
  { operatorNamespace }: { readonly operatorNamespace: string },
): NamespaceDecision {
  if (found === undefined) return { do: "create" };
  const wasOurs = isOwned(found, tenant);
  if (found.metadata.deletionTimestamp !== undefined) return { do: "wait", wasOurs };
  if (wasOurs) return { do: "keep" };
  const { annotations: notes = {}, name = "" } = found.metadata;
  const isAgreed =
    Object.hasOwn(notes, annotations.allowAdoption) && notes[annotations.allowAdoption] === tenant.metadata.name;
  // What has a controller can be nobody else's, whatever an annotation says.
  const isFree = controllerOf(found) === undefined && !isSystem(name, operatorNamespace);
  return { do: isAgreed && isFree ? "adopt" : "conflict" };
}

/** Whether a namespace belongs to the cluster or to the operator, and can never be a tenant's. */
function isSystem(name: string, operatorNamespace: string): boolean {
  return name === "default" || name.startsWith("kube-") || name === operatorNamespace;
}
