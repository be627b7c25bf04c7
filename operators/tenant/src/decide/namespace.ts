import type { DeepReadonly } from "homeostat";
import { controllerOf } from "@homeostat/core";
import type { Namespace } from "@homeostat/kubernetes/core/v1";
import { annotations } from "../api/identity.ts";
import { ownership } from "../api/ownership.ts";
import type { Tenant } from "../api/tenant.ts";

/** The action for the namespace of a tenant that is not being deleted. */
export type NamespaceDecision =
  | { readonly action: "create" }
  /** Owned by the tenant: correct drift. */
  | { readonly action: "keep" }
  /** Not owned, and annotated with consent to adoption. */
  | { readonly action: "adopt" }
  /** Terminating. `wasOwned`: the tenant's own namespace was deleted. */
  | { readonly action: "wait"; readonly wasOwned: boolean }
  /** Not owned: never changed. */
  | { readonly action: "conflict" };

export function decideNamespace(
  observed: DeepReadonly<Namespace> | undefined,
  tenant: DeepReadonly<Tenant>,
  { operatorNamespace }: { readonly operatorNamespace: string },
): NamespaceDecision {
  if (observed === undefined) return { action: "create" };
  const wasOwned = ownership.owns(tenant, observed);
  if (observed.metadata.deletionTimestamp !== undefined) return { action: "wait", wasOwned };
  if (wasOwned) return { action: "keep" };
  const { annotations: notes = {}, name = "" } = observed.metadata;
  const hasConsent =
    Object.hasOwn(notes, annotations.allowAdoption) && notes[annotations.allowAdoption] === tenant.metadata.name;
  const isSystem = name === "default" || name.startsWith("kube-") || name === operatorNamespace;
  // An object with a controller cannot get a second one, whatever its annotations say.
  return { action: hasConsent && !isSystem && controllerOf(observed) === undefined ? "adopt" : "conflict" };
}
