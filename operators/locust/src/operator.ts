import type { Transport } from "@homeostat/client";
import { type Clock, type Random, systemClock, systemRandom } from "@homeostat/core";
import { Job } from "@homeostat/kubernetes/batch/v1";
import { ConfigMap, Event, Pod } from "@homeostat/kubernetes/core/v1";
import { defineOperator, Late, type Operator } from "@homeostat/operator";
import { afterLeading, type Service, type ServiceTools } from "@homeostat/runtime";
import { group, manager } from "./api/identity.ts";
import { LocustTest } from "./api/locust-test.ts";
import { chartAliases, chartVariables } from "./settings/chart.ts";
import type { OperatorConfig } from "./settings/settings.ts";
import { describeConfig } from "./settings/read-settings.ts";
import type { ConfigWarning } from "./settings/variables.ts";
import { conversion } from "./webhooks/conversion.ts";
import { createLiveStats } from "./live/create-live-stats.ts";
import type { ResolvePod } from "./live/pod-web.ts";
import { TestMetrics } from "./metrics/test-metrics.ts";
import { locustTests } from "./reconcile/controller.ts";
import type { LiveStats } from "./live/live-stats.ts";
import { locustWebhook } from "./webhooks/admission.ts";

/** What the operator is made from. */
export interface LocustOperatorOptions {
  readonly config: OperatorConfig;
  /** What could not be used of the configuration; it is logged at the start. */
  readonly warnings?: readonly ConfigWarning[] | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
  /** Where the addresses of pods lead from here, when not to themselves, as in a simulated cluster. */
  readonly resolve?: ResolvePod | undefined;
}

/** The operator for load tests: its kind in two versions, its controller, its webhooks and the rights it needs. */
export function locustOperator(options: LocustOperatorOptions): Operator {
  const { config, clock = systemClock, random = systemRandom, resolve, warnings = [] } = options;
  const metrics = new TestMetrics();
  const server = new Late<Transport>("way to the API server");
  const { access } = config.liveStats;
  const live = createLiveStats({
    access,
    transport: { send: async (...args) => server.get().send(...args) },
    clock,
    random,
    resolve,
    onError: () => metrics.pollFailed(),
  });
  return defineOperator({
    name: manager,
    leaseSuffix: group,
    description: "Runs Locust load tests: one LocustTest makes a master, its workers, and a verdict.",
    // As in the operator that this one takes the place of.
    installation: { metrics: false, webhookTimeoutSeconds: 10 },
    chartVariables,
    chartAliases,
    // A pass looks at one test and what belongs to it, and seldom is there another soon: what was parsed is not worth keeping.
    manager: { cache: { memo: { countMax: 32 } } },
    resources: [LocustTest],
    conversions: [conversion],
    controllers: [locustTests({ config, live, metrics })],
    webhooks: [locustWebhook(config)],
    services: [
      (tools) => helper(tools, { config, warnings, live, metrics, server }),
      afterLeading("load-test-metrics", () => metrics.clear()),
    ],
    access: [
      // Where the cluster asks for it: what is made for a test names it as an owner whose deletion waits.
      { type: LocustTest, subresource: "finalizers", verbs: ["update"] },
      // Only for what a test may ask for; without them that is not done, and everything else is.
      { type: Job, verbs: ["patch"] },
      { type: Event, verbs: ["list"] },
      { type: ConfigMap, verbs: ["create"] },
      ...(access === "apiProxy" ? [{ type: Pod, subresource: "proxy", verbs: ["create", "get"] }] : []),
    ],
  });
}

/** What the controller needs of the manager it runs in. */
function helper(
  tools: ServiceTools,
  parts: {
    readonly config: OperatorConfig;
    readonly warnings: readonly ConfigWarning[];
    readonly live: LiveStats;
    readonly metrics: TestMetrics;
    readonly server: Late<Transport>;
  },
): Service {
  const { config, warnings, live, metrics, server } = parts;
  server.set(tools.client.transport);
  metrics.register(tools.registry, live);
  return {
    name: "load-tests",
    when: "always",
    async run() {
      for (const { variable, ...more } of warnings) {
        tools.log.warn("A setting could not be used; its default holds", { variable, ...more });
      }
      tools.log.info("Operator configuration loaded", describeConfig(config));
    },
  };
}
