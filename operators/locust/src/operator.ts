import { type Clock, type Random, systemClock, systemRandom } from "@homeostat/core";
import { Job } from "@homeostat/kubernetes/batch/v1";
import { ConfigMap, Event, Pod } from "@homeostat/kubernetes/core/v1";
import { defineOperator, type Operator } from "@homeostat/operator";
import { afterLeading, type Service, type ServiceTools } from "@homeostat/runtime";
import { group, manager } from "./api/identity.ts";
import { LocustTest } from "./api/locust-test.ts";
import { chartAliases, chartVariables } from "./config/chart-variables.ts";
import type { OperatorConfig } from "./config/config.ts";
import { describeConfig } from "./config/read-config.ts";
import type { ConfigWarning } from "./config/variables.ts";
import { conversion } from "./conversion/convert.ts";
import { createLiveStats } from "./live/create-live-stats.ts";
import type { ResolvePod } from "./live/pod-web.ts";
import { TestMetrics } from "./metrics/test-metrics.ts";
import { locustTests } from "./reconcile/controller.ts";
import type { LiveStats } from "./reconcile/ports.ts";
import { locustWebhook } from "./validation/webhook.ts";

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
  const { access } = config.liveStats;
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
    setup({ client: { transport }, registry }) {
      const onError = (): void => metrics.pollFailed();
      const live = createLiveStats({ access, transport, clock, random, resolve, onError });
      metrics.register(registry, live);
      return { live };
    },
    controllers: (_, provided) => [locustTests({ config, live: liveStatsOf(() => provided().live), metrics })],
    webhooks: [locustWebhook(config)],
    services: [
      (tools) => announcement(tools, { config, warnings }),
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

/** Logs the configuration of the operator, and what could not be used of it. */
function announcement(
  { log }: ServiceTools,
  { config, warnings }: { readonly config: OperatorConfig; readonly warnings: readonly ConfigWarning[] },
): Service {
  return {
    name: "load-tests",
    when: "always",
    async run() {
      for (const { variable, ...more } of warnings) {
        log.warn("A setting could not be used; its default holds", { variable, ...more });
      }
      log.info("Operator configuration loaded", describeConfig(config));
    },
  };
}

/** The live numbers of the manager that runs the operator. */
function liveStatsOf(live: () => LiveStats): LiveStats {
  return {
    source: {
      name: "live-stats",
      open: (signal) => live().source.open(signal),
      map: (event, cache) => live().source.map(event, cache),
    },
    track: (target) => live().track(target),
    forget: (key) => live().forget(key),
    view: (key) => live().view(key),
    stop: (key, signal) => live().stop(key, signal),
    files: (key, signal) => live().files(key, signal),
  };
}
