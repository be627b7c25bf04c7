import { randomBytes } from "node:crypto";
import { defineOperator, type Operator } from "homeostat";
import { type Random, systemRandom, releaseVersion } from "@homeostat/core";
import { Namespace } from "@homeostat/kubernetes/core/v1";
import { ClusterRole } from "@homeostat/kubernetes/rbac/v1";
import { dashboardCompanion, type InstallationDefaults } from "@homeostat/operator";
import { group } from "./api/identity.ts";
import { Tenant } from "./api/tenant.ts";
import { accessClusterRole, accessRoles } from "./build/namespace.ts";
import type { SecureBytes } from "./build/credentials.ts";
import { extras } from "./install/extras.ts";
import { TenantMetrics } from "./metrics/tenant-metrics.ts";
import { tenantController } from "./reconcile/controller.ts";
import { flagAliases, type TenantSettings, tenantFlags } from "./settings/settings.ts";
import { defaultingWebhook } from "./webhooks/defaulting.ts";
import { type ReadNamespace, tenantWebhook } from "./webhooks/validating.ts";

const operatorName = "neurallog-operator";

/** Names and limits of the operator that this one replaces, except for metrics, which are authenticated. */
const installation: InstallationDefaults = {
  namespace: "neurallog-system",
  webhookServiceName: "webhook-service",
  webhookSecretName: "webhook-server-cert",
  // Series contain the names of tenants, which are customers.
  metricsSecure: true,
  terminationGraceSeconds: 15,
  resources: { requests: { cpu: "10m", memory: "64Mi" }, limits: { cpu: "500m", memory: "256Mi" } },
};

export interface TenantOperatorOptions {
  /** The operator's namespace. Default: the namespace that the program runs in. */
  readonly operatorNamespace?: string | undefined;
  readonly random?: Random | undefined;
  /** The source of passwords. Default: `randomBytes` of Node.js. */
  readonly secureBytes?: SecureBytes | undefined;
}

/** Defines the tenant operator: its kind, controller, webhooks, permissions and additional objects to install. */
export function tenantOperator(options: TenantOperatorOptions = {}): Operator {
  const { random = systemRandom } = options;
  const secureBytes: SecureBytes = options.secureBytes ?? ((count) => randomBytes(count));
  const metrics = new TenantMetrics();
  return defineOperator({
    name: operatorName,
    version: releaseVersion,
    leaseSuffix: group,
    description:
      "Gives each customer an isolated NeuralLog: each Tenant gets a namespace, a Redis, a log server and network policies.",
    resources: [Tenant],
    companions: [dashboardCompanion(operatorName)],
    flags: tenantFlags,
    installation,
    extras,
    flagAliases,
    // A reconcile reads only the objects of one tenant, and its next reconcile is usually much later: a large memo of parsed
    // objects would cost memory and rarely be used.
    manager: { cache: { memo: { countMax: 32 } } },
    setup({ unfencedClient, namespace, serverClock }, values) {
      const { operatorNamespace = namespace } = options;
      const settings: TenantSettings = { ...values, operatorNamespace };
      // Every replica serves webhooks, so they read with a client that works without leadership.
      return { settings, client: unfencedClient, serverClock };
    },
    controllers: ({ maxConcurrentReconciles: concurrency }, provided) => [
      tenantController({
        settings: () => provided().settings,
        metrics,
        random,
        secureBytes,
        serverClock: () => provided().serverClock,
        concurrency,
      }),
    ],
    webhooks: (values, provided) => {
      const readNamespace: ReadNamespace = async (name, signal) =>
        provided().client.get(Namespace, { name }, { signal });
      return [defaultingWebhook(values), tenantWebhook({ settings: () => provided().settings, readNamespace })];
    },
    access: [
      // RBAC lets an account bind a role only if it has all permissions of the role, or `bind` on it.
      { type: ClusterRole, verbs: ["bind"], names: accessRoles.map(accessClusterRole) },
    ],
  });
}
