import { defineOperator, type Operator, type Service, type ServiceTools } from "homeostat";
import type { Transport } from "@homeostat/client";
import { type Clock, type Random, systemClock, systemRandom } from "@homeostat/core";
import { Job } from "@homeostat/kubernetes/batch/v1";
import { ConfigMap, Event, Pod } from "@homeostat/kubernetes/core/v1";
import { Late } from "@homeostat/operator";
import { afterLeading } from "@homeostat/runtime";
import { LocustTest } from "./api/locust-test.ts";
import { group, manager } from "./api/names.ts";
import { createLiveStats } from "./live/live-poller.ts";
import type { ResolvePod } from "./live/web-api.ts";
import { TestMetrics } from "./metrics/test-metrics.ts";
import { locustTests } from "./reconcile/controller.ts";
import type { Dependencies } from "./reconcile/scope.ts";
import { chartAliases, chartVariables } from "./settings/chart.ts";
import { describeSettings, type Settings, type SettingsReading } from "./settings/settings.ts";
import { locustWebhook } from "./webhooks/admission.ts";
import { conversion } from "./webhooks/conversion.ts";

export interface LocustOperatorOptions {
  readonly settings: Settings;
  /** Settings that could not be used; they are logged at start. */
  readonly warnings?: SettingsReading["warnings"] | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
  /** Maps pod addresses where they cannot be reached directly, as in a simulated cluster. */
  readonly resolve?: ResolvePod | undefined;
}

/** Defines the operator for load tests. */
export function locustOperator(options: LocustOperatorOptions): Operator {
  const { settings, clock = systemClock, random = systemRandom, resolve, warnings = [] } = options;
  const { access } = settings.liveStats;
  const metrics = new TestMetrics();
  const server = new Late<Transport>("way to the API server");
  const live = createLiveStats({
    access,
    transport: { send: async (...args) => server.get().send(...args) },
    clock,
    random,
    resolve,
    onError: () => metrics.observePollError(),
  });
  const dependencies: Dependencies = { settings, live, metrics };
  return defineOperator({
    name: manager,
    leaseSuffix: group,
    description: "Runs Locust load tests: one LocustTest makes a master, its workers, and a verdict.",
    // Defaults of the Go operator.
    installation: { metrics: false, webhookTimeoutSeconds: 10 },
    chartVariables,
    chartAliases,
    // A reconcile reads one test and its objects, and the next one rarely follows soon: parsed objects are not worth keeping.
    manager: { cache: { memo: { countMax: 32 } } },
    resources: [LocustTest],
    conversions: [conversion],
    controllers: [locustTests(dependencies)],
    webhooks: [locustWebhook(settings)],
    services: [
      (tools) => {
        server.set(tools.client.transport);
        metrics.register(tools.registry, live);
        return logSettings(tools, { settings, warnings });
      },
      afterLeading("load-test-metrics", () => metrics.clear()),
    ],
    access: [
      // For blockOwnerDeletion in the owner references of owned objects.
      { type: LocustTest, subresource: "finalizers", verbs: ["update"] },
      // Optional features of a test. Without a right the feature is skipped.
      { type: Job, verbs: ["patch"] },
      { type: Event, verbs: ["list"] },
      { type: ConfigMap, verbs: ["create"] },
      ...(access === "apiProxy" ? [{ type: Pod, subresource: "proxy", verbs: ["create", "get"] }] : []),
    ],
  });
}

function logSettings({ log }: ServiceTools, { settings, warnings }: SettingsReading): Service {
  return {
    name: "load-tests",
    when: "always",
    async run() {
      for (const { variable, ...more } of warnings) {
        log.warn("A setting could not be used; its default holds", { variable, ...more });
      }
      log.info("Operator configuration loaded", describeSettings(settings));
    },
  };
}
