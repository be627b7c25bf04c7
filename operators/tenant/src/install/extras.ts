import type { Extras } from "@homeostat/operator";
import { alertRules } from "./alert-rules.ts";
import { namespaceProtection } from "./namespace-protection.ts";
import { operatorNetworkPolicy } from "./network-policy.ts";
import { tenantRoles } from "./tenant-roles.ts";

/** What is installed beside the operator. */
export const extras: Extras = {
  tenantRoles: {
    help: "the three roles that tenants give to people",
    default: true,
    objects: tenantRoles,
  },
  namespaceProtection: {
    help: "a policy that keeps people from deleting namespaces of tenants",
    default: true,
    objects: namespaceProtection,
  },
  networkPolicy: {
    help: "a network policy for the operator's own pods",
    default: false,
    objects: operatorNetworkPolicy,
  },
  alertRules: {
    help: "alerts, where Prometheus' operator is installed",
    default: false,
    objects: alertRules,
  },
};
