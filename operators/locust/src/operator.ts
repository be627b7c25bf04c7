import { defineOperator, type Operator, type Service, type ServiceTools } from "homeostat";
import { type Clock, type Random, systemClock, systemRandom, releaseVersion } from "@homeostat/core";
import { Job } from "@homeostat/kubernetes/batch/v1";
import { SubjectAccessReview } from "@homeostat/kubernetes/authorization/v1";
import { ConfigMap, Event, Pod } from "@homeostat/kubernetes/core/v1";
import { configurationLog, dashboardCompanion, type ConfigurationWarning } from "@homeostat/operator";
import { afterLeading } from "@homeostat/runtime";
import { LocustTest } from "./api/locust-test.ts";
import { group, manager } from "./api/names.ts";
import { LivePoller } from "./live/live-poller.ts";
import { seriesPage } from "./live/series-page.ts";
import { podWeb, proxyWeb, type ResolvePod } from "./live/web-api.ts";
import { WarningEvents } from "./observe/warning-events.ts";
import { TestMetrics } from "./metrics/test-metrics.ts";
import { locustTests } from "./reconcile/controller.ts";
import { chartAliases, chartVariables } from "./settings/chart.ts";
import { flagAliases } from "./settings/flags.ts";
import { describeSettings, plainSecrets, type Settings } from "./settings/settings.ts";
import { locustWebhook } from "./webhooks/admission.ts";
import type { ReviewAccess } from "./webhooks/reference-access.ts";
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
  const warningEvents = new WarningEvents(clock);
  return defineOperator({
    name: manager,
    version: releaseVersion,
    leaseSuffix: group,
    description: "Runs Locust load tests: each LocustTest starts a master and its workers and reports a verdict.",
    // Defaults of the Go operator.
    // 8089 is the web interface of Locust masters, which the operator polls.
    installation: { metrics: false, webhookTimeoutSeconds: 10, egressPorts: [443, 6443, 8089] },
    flagAliases,
    chartVariables,
    chartAliases,
    // A reconcile reads only the objects of one test, and its next reconcile is usually much later: a large memo of parsed objects
    // would cost memory and rarely be used.
    manager: { cache: { memo: { countMax: 32 } } },
    resources: [LocustTest],
    companions: [dashboardCompanion(manager)],
    conversions: [conversion],
    setup({ client, unfencedClient, registry, serverClock, addPage }) {
      const web = access === "apiProxy" ? proxyWeb(client.transport) : podWeb(resolve);
      const onError = (): void => metrics.observePollError();
      const live = new LivePoller({ web, isOff: access === "off", clock, serverClock, random, onError });
      metrics.register(registry, live);
      addPage(seriesPage(live.series));
      // Every replica serves webhooks, so they use a client that works without leadership.
      return { live, client: unfencedClient };
    },
    controllers: (_, provided) => [locustTests({ settings, live: () => provided().live, metrics, warningEvents })],
    webhooks: (_, provided) => {
      const review: ReviewAccess = async (...request) => provided().client.reviewAccess(...request);
      return [locustWebhook({ settings, clock, ...(settings.security.checkReferences && { review }) })];
    },
    services: [
      plainSecretWarning(settings),
      configurationLog({ name: "load-tests", settings: describeSettings(settings), warnings }),
      afterLeading("load-test-metrics", () => metrics.clear()),
    ],
    access: [
      // For blockOwnerDeletion in the owner references of owned objects.
      { type: LocustTest, subresource: "finalizers", verbs: ["update"] },
      // Optional features of a test. Without the permission, the feature is skipped.
      { type: Job, verbs: ["patch"] },
      { type: Event, verbs: ["list"] },
      { type: ConfigMap, verbs: ["create"] },
      ...(access === "apiProxy" ? [{ type: Pod, subresource: "proxy", verbs: ["create", "get"] }] : []),
    ],
    ...(settings.security.checkReferences && {
      webhookAccess: {
        rules: [{ type: SubjectAccessReview, verbs: ["create"] }],
        chartValue: "locustPods.checkReferenceAccess",
      },
    }),
  });
}

/** Returns a service that logs a warning at startup if pods get credentials in clear text. */
function plainSecretWarning(settings: Settings): (tools: Pick<ServiceTools, "log">) => Service {
  return ({ log }) => ({
    name: "plain-secrets",
    when: "always",
    async run() {
      const variables = plainSecrets(settings);
      if (variables.length === 0) return;
      const hint = "Set KAFKA_CREDENTIALS_SECRET to the name of a Secret that exists in each namespace with tests";
      log.warn("Kafka credentials are passed to the pods of tests in clear text", { variables, hint });
    },
  });
}
