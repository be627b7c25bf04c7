// Defines an operator that creates a ConfigMap for every tenant, and prints the kinds of its install manifests.
//
// Prints:
//   Namespace, CustomResourceDefinition, ServiceAccount, ClusterRole, ClusterRoleBinding, Role, RoleBinding, NetworkPolicy, Service, Deployment, PodDisruptionBudget

// region: operator
import { applied, defineController, defineOperator, defineResource, operatorManifests, s } from "homeostat";
import { ConfigMap } from "@homeostat/kubernetes/core/v1";

const Tenant = defineResource({
  group: "shop.example.com",
  version: "v1",
  kind: "Tenant",
  spec: { plan: s.enum("free", "team").default("free"), replicas: s.int().min(0).max(9).default(1) },
  conditions: ["Ready"],
});

const tenants = defineController({
  for: Tenant,
  owns: { settings: applied(ConfigMap) },
  async reconcile({ object: { spec }, name, owned, setCondition }) {
    await owned.settings.apply({ metadata: { name: `${name}-settings` }, data: { plan: spec.plan } });
    setCondition("Ready", { status: true, reason: "SettingsWritten" });
  },
});

const operator = defineOperator({ name: "shop", resources: [Tenant], controllers: [tenants] });

// A real program ends with `process.exitCode = await runOperator(operator)`.
console.log(
  operatorManifests(operator)
    .map(({ kind }) => kind)
    .join(", "),
);
// endregion
