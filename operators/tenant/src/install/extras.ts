import { alertsExtra, dashboardExtra, type Extras } from "@homeostat/operator";
import { tenantAlerts } from "./alerts.ts";
import { tenantDashboard } from "./dashboard.ts";
import { namespaceProtection } from "./namespace-protection.ts";
import { operatorConfinement } from "./operator-confinement.ts";
import { tenantRoles } from "./tenant-roles.ts";

/** Optional objects that are installed with the operator. */
export const extras: Extras = {
  tenantRoles: {
    help: "the ClusterRoles that tenants grant to users and groups",
    default: true,
    objects: tenantRoles,
  },
  namespaceProtection: {
    help: "a policy that denies direct deletion of tenant namespaces",
    default: true,
    objects: namespaceProtection,
  },
  operatorConfinement: {
    help: "a policy that confines the operator's own account to tenant namespaces",
    default: true,
    objects: operatorConfinement,
  },
  alertRules: alertsExtra("neurallog-tenants", tenantAlerts),
  dashboard: dashboardExtra(tenantDashboard),
};
