import { describeMonitoring } from "@homeostat/operator-testing";
import { SandboxMetrics } from "../metrics/sandbox-metrics.ts";
import { extras } from "./extras.ts";

describeMonitoring({ extras, register: (registry) => new SandboxMetrics().register(registry) });
