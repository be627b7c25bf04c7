import type { Clock, Random } from "@homeostat/core";
import type { TokenObjects } from "../auth/service-account-tokens.ts";
import type { TokenMaker } from "../auth/token-request.ts";
import type { SpecialEndpoint } from "../handlers/special.ts";
import { componentEndpoint } from "./component-statuses.ts";
import { type NodeProvider, noNodes, podEndpoints } from "./pod-endpoints.ts";
import { reviewEndpoints, type ReviewTools } from "./review-endpoints.ts";
import { scaleEndpoint } from "./scale-endpoint.ts";
import { tokenEndpoint } from "./token-endpoint.ts";

/** What the special endpoints of a server work with. */
export interface SpecialTools extends ReviewTools {
  readonly clock: Clock;
  readonly random: Random;
  readonly signingKey: TokenMaker["key"];
  readonly issuer: string;
  readonly apiAudiences: readonly string[];
}

/** The endpoints that are not simply stored objects. `nodes` stands for the kubelets of the cluster. */
export function specialEndpoints(
  tools: SpecialTools,
  {
    objects,
    nodes = noNodes,
    hasControllers = false,
  }: {
    readonly objects: TokenObjects;
    readonly nodes?: NodeProvider;
    /** Whether somebody runs the controllers and a scheduler. */
    readonly hasControllers?: boolean;
  },
): SpecialEndpoint[] {
  const { issuer, signingKey: key, apiAudiences, clock, random } = tools;
  return [
    ...reviewEndpoints(tools),
    ...podEndpoints(nodes),
    tokenEndpoint({ issuer, key, apiAudiences, objects, clock, random }),
    scaleEndpoint(clock),
    componentEndpoint({ clock, hasControllers }),
  ];
}
