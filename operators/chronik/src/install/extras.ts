import { alertsExtra, dashboardExtra, type Extras } from "@homeostat/operator";
import { chronikAlerts } from "./alerts.ts";
import { chronikDashboard } from "./dashboard.ts";
import { warningPolicy, warningPolicyBinding } from "./warning-policy.ts";

/** Optional objects that are installed with the operator. */
export const extras: Extras = {
  warningPolicy: {
    help: "an admission policy that shows warnings about clusters to users who apply them",
    default: true,
    objects: () => [warningPolicy(), warningPolicyBinding()],
  },
  alertRules: alertsExtra("chronik-clusters", chronikAlerts),
  dashboard: dashboardExtra(chronikDashboard),
};
