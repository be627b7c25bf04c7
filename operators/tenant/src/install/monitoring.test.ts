import { describeMonitoring } from "@homeostat/operator-testing";
import { TenantMetrics } from "../metrics/tenant-metrics.ts";
import { extras } from "./extras.ts";

describeMonitoring({ extras, register: (registry) => new TenantMetrics().register(registry, () => 0) });
