import type {
  ClusterRole,
  ClusterRoleBinding,
  PolicyRule,
  Role,
  RoleBinding,
  Subject,
} from "@homeostat/kubernetes/rbac/v1";
import type { AccessRule } from "@homeostat/runtime";
import { accessPlan, enabledSettingAccess, settingRules } from "../access/operator-access.ts";
import { policyRules } from "../access/policy-rules.ts";
import { reviewAccess } from "../metrics/metrics-service.ts";
import { metadataOf } from "./metadata.ts";
import type { Installation } from "../definition/installation.ts";
import type { SettingAccess } from "../definition/operator.ts";

const group = "rbac.authorization.k8s.io";
const apiVersion = `${group}/v1` as const;

/** A role, or the binding that grants it to the service account. */
export type RoleManifest = ClusterRole | ClusterRoleBinding | Role | RoleBinding;

/**
 * Returns the roles of the service account and their bindings: a ClusterRole for cluster-wide permissions, and Roles for those in
 * single namespaces.
 */
export function accessManifests(installation: Installation): RoleManifest[] {
  const { instance, watchNamespaces } = installation;
  const { watched } = accessPlan(installation);
  return [
    ...workRoles(installation),
    ...(watched.length === 0
      ? []
      : watchNamespaces.flatMap((namespace) => role(installation, { name: instance, namespace, rules: watched }))),
    ...settingRoles(installation),
    ...webhookRoles(installation),
    ...certificateRoles(installation),
  ];
}

/** Returns the roles for settings that have a value. */
function settingRoles(installation: Installation): RoleManifest[] {
  return enabledSettingAccess(installation).flatMap((each) => settingRole(installation, each));
}

/** Returns the role for one setting, whether or not it has a value; the chart decides by its values. */
export function settingRole(installation: Installation, access: SettingAccess): RoleManifest[] {
  const name = `${installation.instance}-${access.roleSuffix}`;
  return clusterRole(installation, { name, rules: settingRules(access) });
}

/** Returns the roles of the controllers, except for those in watched namespaces. */
export function workRoles(installation: Installation): RoleManifest[] {
  const { instance, namespace } = installation;
  const { everywhere, fixed, own } = accessPlan(installation);
  return [
    ...(everywhere.length === 0 ? [] : clusterRole(installation, { name: instance, rules: everywhere })),
    ...[...fixed].flatMap(([fixedNamespace, rules]) =>
      role(installation, { name: `${instance}-fixed`, namespace: fixedNamespace, rules }),
    ),
    ...(own.length === 0 ? [] : role(installation, { name: `${instance}-own`, namespace, rules: own })),
  ];
}

/** Returns the role for the requests that webhooks make themselves. */
export function webhookRoles(installation: Installation): RoleManifest[] {
  const { webhooks: rules } = accessPlan(installation);
  return rules.length === 0 ? [] : clusterRole(installation, { name: `${installation.instance}-webhooks`, rules });
}

/** Returns the roles for maintaining the webhook certificates. */
export function certificateRoles(installation: Installation): RoleManifest[] {
  const { instance, namespace } = installation;
  const { everywhere, own } = accessPlan(installation).certificates;
  const name = `${instance}-certificates`;
  return [
    ...(everywhere.length === 0 ? [] : clusterRole(installation, { name, rules: everywhere })),
    ...(own.length === 0 ? [] : role(installation, { name, namespace, rules: own })),
  ];
}

/**
 * Returns the roles for secure metrics: the permission to create token and access reviews, and a ClusterRole for readers that
 * the cluster administrator binds. Empty if metrics are not served over HTTPS.
 */
export function metricsRoles(installation: Installation): RoleManifest[] {
  const { metrics = true, metricsSecure = false } = installation.options;
  return metrics && metricsSecure ? secureMetricsRoles(installation) : [];
}

/** Returns the roles of {@link metricsRoles} regardless of the options; the chart decides by its values. */
export function secureMetricsRoles(installation: Installation): RoleManifest[] {
  const { instance } = installation;
  return [
    ...clusterRole(installation, { name: `${instance}-metrics-auth`, rules: reviewAccess }),
    {
      apiVersion,
      kind: "ClusterRole",
      metadata: metadataOf(installation, { name: `${instance}-metrics-reader` }),
      rules: [{ nonResourceURLs: ["/metrics"], verbs: ["get"] }],
    },
  ];
}

/** Returns a ClusterRole and its binding to the service account. */
export function clusterRole(
  installation: Installation,
  { name, rules }: { name: string; rules: readonly AccessRule[] },
): [ClusterRole, ClusterRoleBinding] {
  const metadata = metadataOf(installation, { name });
  return [
    { apiVersion, kind: "ClusterRole", metadata, rules: policyRules(rules) },
    {
      apiVersion,
      kind: "ClusterRoleBinding",
      metadata,
      roleRef: { apiGroup: group, kind: "ClusterRole", name },
      subjects: [subjectOf(installation)],
    },
  ];
}

/** Returns a Role in a namespace and its binding to the service account. */
export function role(
  installation: Installation,
  { name, namespace, rules }: { name: string; namespace: string; rules: readonly AccessRule[] },
): [Role, RoleBinding] {
  const metadata = metadataOf(installation, { name, namespace });
  return [
    { apiVersion, kind: "Role", metadata, rules: policyRules(rules) },
    {
      apiVersion,
      kind: "RoleBinding",
      metadata,
      roleRef: { apiGroup: group, kind: "Role", name },
      subjects: [subjectOf(installation)],
    },
  ];
}

function subjectOf({ serviceAccount, namespace }: Installation): Subject {
  return { kind: "ServiceAccount", name: serviceAccount, namespace };
}

const reading = ["get", "list", "watch"];
const writing = ["create", "delete", "deletecollection", "patch", "update"];

/** Returns ClusterRoles for users of the operator's kinds. They aggregate to the built-in roles `view`, `edit` and `admin`. */
export function userRoleManifests(installation: Installation): ClusterRole[] {
  const { operator, instance } = installation;
  const groups = [...new Set(operator.resources.map((resource) => resource.group))];
  const rulesFor = (verbs: string[], { statusVerbs }: { statusVerbs: string[] }): PolicyRule[] =>
    groups.flatMap((name) => {
      const resources = operator.resources.filter((resource) => resource.group === name);
      const withStatus = resources.filter(({ hasStatus }) => hasStatus);
      return [
        { apiGroups: [name], resources: resources.map(({ plural }) => plural), verbs },
        ...(withStatus.length === 0
          ? []
          : [{ apiGroups: [name], resources: withStatus.map(({ plural }) => `${plural}/status`), verbs: statusVerbs }]),
      ];
    });
  const named = (word: string, rules: PolicyRule[]): ClusterRole => ({
    apiVersion,
    kind: "ClusterRole",
    metadata: metadataOf(installation, {
      name: `${instance}-${word}`,
      labels: { [`${group}/aggregate-to-${word}`]: "true" },
    }),
    rules,
  });
  if (operator.resources.length === 0) return [];
  return [
    named("view", rulesFor(reading, { statusVerbs: ["get"] })),
    named("edit", rulesFor([...reading, ...writing].toSorted(), { statusVerbs: ["get"] })),
    named("admin", rulesFor([...reading, ...writing].toSorted(), { statusVerbs: ["get", "patch", "update"] })),
  ];
}
