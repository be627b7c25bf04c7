import { randomBytes } from "node:crypto";
import { defineOperator, type Operator } from "homeostat";
import { type Clock, type Random, systemClock, systemRandom, releaseVersion } from "@homeostat/core";
import { Deployment, StatefulSet } from "@homeostat/kubernetes/apps/v1";
import { SubjectAccessReview } from "@homeostat/kubernetes/authorization/v1";
import { ConfigMap, Namespace, Service } from "@homeostat/kubernetes/core/v1";
import { dashboardCompanion, type InstallationDefaults, issuedCertificateAccess } from "@homeostat/operator";
import { systemNamespace } from "./api/identity.ts";
import { kinds } from "./api/kinds.ts";
import { controllers, createShared } from "./controllers.ts";
import type { SecureBytes } from "./decide/routing-key.ts";
import { extras } from "./install/extras.ts";
import { gatewayAccess, gatewayKeeper } from "./install/gateway.ts";
import { previewKeys, previewKeysAccess } from "./install/preview-keys.ts";
import { uninstallStep } from "./install/restore-command.ts";
import { routeServerDefinition } from "./install/route-server.ts";
import { routeServerCertificate, routeServerObjects } from "./install/route-server-certificate.ts";
import { tunnelDefinition } from "./install/tunnel.ts";
import { tunnelCertificate, tunnelObjects } from "./install/tunnel-certificate.ts";
import { GRPCRoute, HTTPRoute, VirtualService } from "./observe/mesh-kinds.ts";
import { Rollout } from "./observe/rollout.ts";
import { takeoverWatchdog, watchdogAccess } from "./reconcile/watchdog.ts";
import { serviceAfterConfig } from "./settings/after-config.ts";
import { ConfigSource } from "./settings/config-source.ts";
import { configWatch } from "./settings/config-watch.ts";
import { sandboxFlags, type SandboxSettings } from "./settings/settings.ts";
import { clientReader } from "./webhooks/cluster-reader.ts";
import { creatorWebhooks } from "./webhooks/creator-webhooks.ts";
import { localWorkloadWebhook } from "./webhooks/local-workload-webhook.ts";
import { policyWebhooks } from "./webhooks/policy-webhooks.ts";
import { previewLinkWebhook } from "./webhooks/preview-link-webhook.ts";
import { routeGroupWebhook } from "./webhooks/route-group-webhook.ts";
import { sandboxWebhook } from "./webhooks/sandbox-webhook.ts";
import { sidecarWebhook } from "./webhooks/sidecar-webhook.ts";

const operatorName = "sandbox-operator";

const installation: InstallationDefaults = {
  namespace: systemNamespace,
  metricsPort: 9090,
  resources: { requests: { cpu: "100m", memory: "128Mi" }, limits: { cpu: "1", memory: "512Mi" } },
};

export interface SandboxOperatorOptions {
  /** The operator's namespace. Default: the namespace that the program runs in. */
  readonly operatorNamespace?: string | undefined;
  /** The clock of the deadlines of webhooks. */
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
  /** The source of routing keys. Default: `randomBytes` of Node.js. */
  readonly secureBytes?: SecureBytes | undefined;
}

/** Defines the operator of sandboxes: its kinds, controllers, webhooks, configuration and permissions. */
export function sandboxOperator(options: SandboxOperatorOptions = {}): Operator {
  const { clock = systemClock, random = systemRandom } = options;
  const secureBytes: SecureBytes = options.secureBytes ?? ((count) => randomBytes(count));
  return defineOperator({
    name: operatorName,
    version: releaseVersion,
    description:
      "Runs changed versions of a few services next to a shared environment and routes requests with a routing key to them.",
    resources: Object.values(kinds),
    uses: [Rollout, HTTPRoute, GRPCRoute, VirtualService],
    flags: sandboxFlags,
    installation,
    extras,
    setup({ unfencedClient, namespace, clock: managerClock }, values) {
      const { operatorNamespace = namespace || systemNamespace } = options;
      const source = new ConfigSource();
      const settings: SandboxSettings = { ...values, operatorNamespace, config: source.current };
      // Every replica serves webhooks, so they use a client that works without leadership.
      const shared = createShared({
        config: source.current,
        followConfig: (signal) => source.follow(signal),
        configReady: async (signal) => source.ready(signal),
        clock: managerClock,
        discover: async (signal) => unfencedClient.discover({ signal }),
        namespace: operatorNamespace,
        proxyImage: values.proxyImage,
        proxyOtlpEndpoint: values.proxyOtlpEndpoint,
        review: async (...request) => unfencedClient.reviewAccess(...request),
      });
      return { settings, source, shared, client: unfencedClient };
    },
    controllers: ({ maxConcurrentReconciles: concurrency }, provided) =>
      controllers({ shared: () => provided().shared, concurrency, random, secureBytes }),
    webhooks: (_, provided) => {
      const config = () => provided().settings.config();
      const tools = { config, reader: clientReader(() => provided().client), clock };
      return [
        ...creatorWebhooks(),
        sandboxWebhook(tools),
        routeGroupWebhook(tools),
        localWorkloadWebhook(tools),
        previewLinkWebhook(tools),
        ...policyWebhooks(tools),
        sidecarWebhook(() => provided().shared.proxy()),
      ];
    },
    services: ({ configMap }, provided) => [
      (tools) => {
        const { source, settings } = provided();
        return configWatch(tools, { source, namespace: settings.operatorNamespace, name: configMap });
      },
      (tools) => {
        const { settings, shared } = provided();
        return routeServerCertificate({ namespace: settings.operatorNamespace, trust: shared.trust })(tools);
      },
      (tools) => {
        const { settings, shared } = provided();
        return tunnelCertificate({ namespace: settings.operatorNamespace, trust: shared.tunnelTrust })(tools);
      },
      (tools) => {
        const { settings, shared } = provided();
        const isEnabled = (): boolean => settings.config().preview.domain !== "";
        const keys = previewKeys({ ring: shared.previewKeys, namespace: settings.operatorNamespace, isEnabled })(tools);
        return serviceAfterConfig(keys, shared.configReady);
      },
      (tools) => {
        const { settings, shared } = provided();
        const isEnabled = (): boolean => settings.config().preview.domain !== "";
        const keeper = gatewayKeeper({ gateway: () => shared.proxy(), isEnabled })(tools);
        return serviceAfterConfig(keeper, shared.configReady);
      },
      (tools) => takeoverWatchdog(() => provided().settings.config())(tools),
    ],
    access: [{ type: Rollout, verbs: ["get"] }, ...watchdogAccess],
    ownAccess: ({ configMap }) => [
      { type: ConfigMap, verbs: ["list", "watch"], names: [configMap] },
      ...issuedCertificateAccess(routeServerObjects),
      ...issuedCertificateAccess(tunnelObjects),
      ...previewKeysAccess,
      ...gatewayAccess,
    ],
    companions: [
      defineOperator(routeServerDefinition),
      defineOperator(tunnelDefinition),
      dashboardCompanion(operatorName),
    ],
    uninstall: uninstallStep,
    webhookAccess: {
      rules: [
        { type: SubjectAccessReview, verbs: ["create"] },
        { type: Namespace, verbs: ["get"] },
        { type: Service, verbs: ["get", "list"] },
        { type: Deployment, verbs: ["get"] },
        { type: StatefulSet, verbs: ["get"] },
        { type: Rollout, verbs: ["get"] },
        { type: kinds.Sandbox, verbs: ["get", "list"] },
        { type: kinds.RouteGroup, verbs: ["list"] },
        { type: kinds.SandboxPolicy, verbs: ["list"] },
      ],
    },
  });
}
