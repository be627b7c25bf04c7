import type { Clock, Random } from "@homeostat/core";
import type { Authorizer } from "../auth/attributes.ts";
import type { Authenticator } from "../auth/authenticate.ts";
import type { RbacPolicy } from "../auth/rbac/policy.ts";
import type { TokenObjects } from "../auth/service-account-tokens.ts";
import type { TokenIssuer } from "../auth/token-request.ts";
import type { SpecialEndpoint } from "../handlers/special-endpoints.ts";
import type { NodeProvider } from "./node-provider.ts";

/** Parts of a server that its special endpoints use. */
export interface SpecialTools {
  readonly authorizer: Authorizer;
  readonly authenticator: Authenticator;
  readonly policy: RbacPolicy;
  readonly clock: Clock;
  readonly random: Random;
  readonly signingKey: TokenIssuer["key"];
  readonly issuer: string;
  readonly apiAudiences: readonly string[];
}

/** Dependencies of the endpoints that strategies of built-in kinds declare. */
export interface EndpointTools extends SpecialTools {
  readonly objects: TokenObjects;
  /** The kubelets of the cluster. */
  readonly nodes: NodeProvider;
  /** True if controllers and a scheduler run in the cluster. */
  readonly hasControllers: boolean;
}

/** An endpoint of one built-in kind; `subresource` is empty for the resource itself. */
export type KindEndpoint = Pick<SpecialEndpoint, "handle" | "subresource">;
