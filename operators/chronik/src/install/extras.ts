import { alertsExtra, dashboardExtra, type Extras } from "@homeostat/operator";
import { chronikAlerts } from "./alerts.ts";
import { chronikDashboard } from "./dashboard.ts";
import { objectProtection } from "./object-protection.ts";
import { warningPolicy, warningPolicyBinding } from "./warning-policy.ts";

/** Optional objects that are installed with the operator. */
export const extras: Extras = {
  warningPolicy: {
    help: "an admission policy that shows warnings about clusters to users who apply them",
    default: true,
    objects: () => [warningPolicy(), warningPolicyBinding()],
  },
  objectProtection: {
    help: "admission policies that deny changes of the objects of clusters to everyone but the operator and Kubernetes itself",
    default: false,
    objects: objectProtection,
  },
  alertRules: alertsExtra("chronik-clusters", chronikAlerts),
  dashboard: dashboardExtra(chronikDashboard),
};
