import type { DeepReadonly } from "@homeostat/core";
import type { ResourceRequirements } from "@homeostat/kubernetes/core/v1";
import type { Role } from "../api/identity.ts";
import type { Amounts, ResourceDefaults } from "../settings/settings.ts";
import type { Plan } from "./objects.ts";

type Resources = DeepReadonly<ResourceRequirements>;

/** What a Locust container gets: what the test says, as a whole and unmixed, or else what the operator is set up with. */
export function locustResources({ test, config }: Plan, role: Role): Resources | undefined {
  const own = test.spec[role].resources;
  const isSaid = Object.keys(own?.requests ?? {}).length > 0 || Object.keys(own?.limits ?? {}).length > 0;
  return isSaid ? own : resourcesOf(config.resources[role]);
}

/** Configured amounts as a container has them; undefined where there are none. */
export function resourcesOf({ requests, limits }: ResourceDefaults): Resources | undefined {
  const isEmpty = (amounts: Amounts): boolean => Object.keys(amounts).length === 0;
  if (isEmpty(requests) && isEmpty(limits)) return undefined;
  return {
    ...(isEmpty(requests) ? {} : { requests: { ...requests } }),
    ...(isEmpty(limits) ? {} : { limits: { ...limits } }),
  };
}
