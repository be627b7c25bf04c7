import { alertsExtra, dashboardExtra, type Extras } from "@homeostat/operator";
import { sandboxAlerts } from "./alerts.ts";
import { sandboxDashboard } from "./dashboard.ts";
import { sandboxRoles } from "./roles.ts";

/** Optional objects that are installed with the operator. */
export const extras: Extras = {
  userRoles: {
    help: "the ClusterRoles for viewers, developers and administrators of sandboxes",
    default: true,
    objects: sandboxRoles,
  },
  alertRules: alertsExtra("sandboxes", sandboxAlerts),
  dashboard: dashboardExtra(sandboxDashboard),
};
