import type { DeepReadonly } from "@homeostat/core";
import type { RedisSpec, ServerSpec, TenantSpec } from "../api/tenant.ts";
import type { WantedPlacement } from "./resolved-tenant.ts";

/** Where the pods of a component may run: as the tenant says, unless the component says otherwise. */
export function placementOf(
  { nodeSelector, tolerations }: Pick<DeepReadonly<TenantSpec>, "nodeSelector" | "tolerations">,
  component: DeepReadonly<ServerSpec> | DeepReadonly<RedisSpec>,
): WantedPlacement {
  return {
    nodeSelector: { ...nodeSelector, ...component.nodeSelector },
    tolerations: component.tolerations ?? tolerations ?? [],
    affinity: component.affinity,
  };
}
