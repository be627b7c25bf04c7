import type { Extras } from "@homeostat/operator";
import { alertRules } from "./alert-rules.ts";
import { namespaceProtection } from "./namespace-protection.ts";
import { operatorNetworkPolicy } from "./network-policy.ts";
import { tenantRoles } from "./tenant-roles.ts";

/** Optional objects that are installed with the operator. */
export const extras: Extras = {
  tenantRoles: {
    help: "the three ClusterRoles that tenants grant to people",
    default: true,
    objects: tenantRoles,
  },
  namespaceProtection: {
    help: "a policy that denies direct deletion of tenant namespaces",
    default: true,
    objects: namespaceProtection,
  },
  networkPolicy: {
    help: "a network policy for the operator's own pods",
    default: false,
    objects: operatorNetworkPolicy,
  },
  alertRules: {
    help: "alerts for the Prometheus operator",
    default: false,
    objects: alertRules,
  },
};
