import { describeMonitoring } from "@homeostat/operator-testing";
import { ChronikMetrics } from "../metrics/chronik-metrics.ts";
import { extras } from "./extras.ts";

describeMonitoring({ extras, register: (registry) => new ChronikMetrics().register(registry) });
