import { defineOperator, type Operator } from "homeostat";
import { type Clock, type Random, systemClock, systemRandom } from "@homeostat/core";
import { Job } from "@homeostat/kubernetes/batch/v1";
import { ConfigMap, Event, Pod } from "@homeostat/kubernetes/core/v1";
import { configurationLog, type ConfigurationWarning } from "@homeostat/operator";
import { afterLeading } from "@homeostat/runtime";
import { LocustTest } from "./api/locust-test.ts";
import { group, manager } from "./api/names.ts";
import { LivePoller } from "./live/live-poller.ts";
import { podWeb, proxyWeb, type ResolvePod } from "./live/web-api.ts";
import { TestMetrics } from "./metrics/test-metrics.ts";
import { locustTests } from "./reconcile/controller.ts";
import { chartAliases, chartVariables } from "./settings/chart.ts";
import { flagAliases } from "./settings/flags.ts";
import { describeSettings, type Settings } from "./settings/settings.ts";
import { locustWebhook } from "./webhooks/admission.ts";
import { conversion } from "./webhooks/conversion.ts";

export interface LocustOperatorOptions {
  readonly settings: Settings;
  /** Settings that could not be used; they are logged at start. */
  readonly warnings?: readonly ConfigurationWarning[] | undefined;
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
  return defineOperator({
    name: manager,
    leaseSuffix: group,
    description: "Runs Locust load tests: one LocustTest makes a master, its workers, and a verdict.",
    // Defaults of the Go operator.
    installation: { metrics: false, webhookTimeoutSeconds: 10 },
    flagAliases,
    chartVariables,
    chartAliases,
    // A reconcile reads one test and its objects, and the next one rarely follows soon: parsed objects are not worth keeping.
    manager: { cache: { memo: { countMax: 32 } } },
    resources: [LocustTest],
    conversions: [conversion],
    setup({ client, registry, serverClock }) {
      const web = access === "apiProxy" ? proxyWeb(client.transport) : podWeb(resolve);
      const onError = (): void => metrics.observePollError();
      const live = new LivePoller({ web, isOff: access === "off", clock, serverClock, random, onError });
      metrics.register(registry, live);
      return live;
    },
    controllers: (_, live) => [locustTests({ settings, live, metrics })],
    webhooks: [locustWebhook(settings)],
    services: [
      configurationLog({ name: "load-tests", settings: describeSettings(settings), warnings }),
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
