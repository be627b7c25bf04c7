import { describeMonitoring } from "@homeostat/operator-testing";
import { SandboxMetrics, takeoverRestores } from "../metrics/sandbox-metrics.ts";
import { extras } from "./extras.ts";

describeMonitoring({
  extras,
  register(registry) {
    new SandboxMetrics().register(registry);
    registry.register(takeoverRestores());
  },
});
