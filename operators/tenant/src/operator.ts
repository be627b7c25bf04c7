import { randomBytes } from "node:crypto";
import { type Clock, type Random, systemClock, systemRandom } from "@homeostat/core";
import { Namespace } from "@homeostat/kubernetes/core/v1";
import { ClusterRole } from "@homeostat/kubernetes/rbac/v1";
import { defineOperator, type InstallationDefaults, type Operator } from "@homeostat/operator";
import { afterLeading } from "@homeostat/runtime";
import { group } from "./api/identity.ts";
import { Tenant } from "./api/tenant.ts";
import { accessClusterRole } from "./build/access.ts";
import type { SecureBytes } from "./credentials/password.ts";
import { extras } from "./install/extras.ts";
import { TenantMetrics } from "./metrics/tenant-metrics.ts";
import { tenants } from "./reconcile/controller.ts";
import { Told } from "./reconcile/told.ts";
import { settingsOf, tenantFlags } from "./settings/flags.ts";
import { defaultSettings } from "./settings/settings.ts";
import { defaultingWebhook } from "./webhooks/defaulting.ts";
import type { ReadNamespace } from "./webhooks/foreign-namespace.ts";
import { tenantWebhook } from "./webhooks/validating.ts";

/** As people know it who come from the operator that this one takes the place of. */
const installation: InstallationDefaults = {
  namespace: defaultSettings.operatorNamespace,
  webhookServiceName: "webhook-service",
  webhookSecretName: "webhook-server-cert",
  terminationGraceSeconds: 15,
  resources: { requests: { cpu: "10m", memory: "64Mi" }, limits: { cpu: "500m", memory: "256Mi" } },
};

/** What the operator is made from. */
export interface TenantOperatorOptions {
  /** Where the operator lives. Default: `neurallog-system`. */
  readonly operatorNamespace?: string | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
  /** Where passwords come from. Default: the secure source of this machine. */
  readonly secureBytes?: SecureBytes | undefined;
}

/** The operator for tenants: its kind, its controller, its webhooks, the rights it needs and what is installed beside it. */
export function tenantOperator(options: TenantOperatorOptions = {}): Operator {
  const { operatorNamespace = defaultSettings.operatorNamespace, clock = systemClock, random = systemRandom } = options;
  const secureBytes: SecureBytes = options.secureBytes ?? ((count) => randomBytes(count));
  const metrics = new TenantMetrics();
  const told = new Told();
  return defineOperator({
    name: "neurallog-operator",
    leaseSuffix: group,
    description:
      "Gives each customer an isolated NeuralLog: one Tenant makes a namespace, a Redis, a server and their rules.",
    resources: [Tenant],
    flags: tenantFlags,
    installation,
    extras,
    setup({ registry, unfencedClient }) {
      metrics.register(registry, () => clock.now());
      // Webhooks are served by every replica, so they read with a client that needs no lead.
      return { client: unfencedClient };
    },
    controllers: (values) => [
      tenants({ settings: settingsOf(values, { operatorNamespace }), metrics, told, random, secureBytes }),
    ],
    webhooks: (values, provided) => {
      const settings = settingsOf(values, { operatorNamespace });
      const readNamespace: ReadNamespace = async (name, signal) =>
        provided().client.get(Namespace, { name }, { signal });
      return [defaultingWebhook(settings), tenantWebhook({ settings, readNamespace })];
    },
    services: [afterLeading("tenant-metrics", () => metrics.clear())],
    access: [
      // Where the cluster asks for it: what is made for a tenant names it as an owner whose deletion waits.
      { type: Tenant, subresource: "finalizers", verbs: ["update"] },
      // Whoever binds somebody to a role needs all the role gives, or this.
      {
        type: ClusterRole,
        verbs: ["bind"],
        names: [accessClusterRole("admin"), accessClusterRole("editor"), accessClusterRole("viewer")],
      },
    ],
  });
}
