import { clusterRoleBindings, clusterRoles, release, roleBindings, roles } from "./generated/default-policy.ts";
import {
  type ClusterRoleBindingObject,
  type ClusterRoleObject,
  rbacGroup,
  type RbacMeta,
  type RoleBindingObject,
  type RoleObject,
  type RoleRefObject,
  type SubjectObject,
} from "./objects.ts";
import type { Rule } from "./rule.ts";

/** A role in the generated table: namespace, name, labels; labels of the roles it aggregates; rules. */
export type RoleRow = readonly [
  namespace: string,
  name: string,
  labels: readonly string[],
  aggregates: readonly string[],
  rules: readonly string[],
];

/** A binding in the generated table: namespace, name, labels; kind and name of its role; subjects. */
export type BindingRow = readonly [
  namespace: string,
  name: string,
  labels: readonly string[],
  role: string,
  subjects: readonly string[],
];

/** Annotation that, if `false`, keeps the server from restoring the object at startup. */
export const autoUpdateAnnotation = "rbac.authorization.kubernetes.io/autoupdate";

/** The roles and bindings that a server ensures at startup. */
export interface DefaultPolicy {
  /** Kubernetes release of the policy: `v1.36.3`. */
  readonly release: string;
  readonly clusterRoles: readonly ClusterRoleObject[];
  readonly clusterRoleBindings: readonly ClusterRoleBindingObject[];
  readonly roles: readonly RoleObject[];
  readonly roleBindings: readonly RoleBindingObject[];
}

/** Returns the roles and bindings that every cluster starts with. Aggregated roles have no rules yet. */
export function defaultPolicy(): DefaultPolicy {
  return {
    release,
    clusterRoles: clusterRoles.map(clusterRoleOf),
    clusterRoleBindings: clusterRoleBindings.map(([, name, labels, role, subjects]) => ({
      kind: "ClusterRoleBinding",
      metadata: metaOf("", name, labels),
      ...(subjects.length === 0 ? {} : { subjects: subjects.map(subjectOf) }),
      roleRef: roleRefOf(role),
    })),
    roles: roles.map(([namespace, name, labels, , rules]) => ({
      kind: "Role",
      metadata: metaOf(namespace, name, labels),
      rules: rules.map(ruleOf),
    })),
    roleBindings: roleBindings.map(([namespace, name, labels, role, subjects]) => ({
      kind: "RoleBinding",
      metadata: metaOf(namespace, name, labels),
      ...(subjects.length === 0 ? {} : { subjects: subjects.map(subjectOf) }),
      roleRef: roleRefOf(role),
    })),
  };
}

function clusterRoleOf([, name, labels, aggregates, rules]: RoleRow): ClusterRoleObject {
  const metadata = metaOf("", name, labels);
  if (aggregates.length === 0) return { kind: "ClusterRole", metadata, rules: rules.map(ruleOf) };
  const clusterRoleSelectors = aggregates.map((label) => ({ matchLabels: { [label]: "true" } }));
  return { kind: "ClusterRole", metadata, rules: null, aggregationRule: { clusterRoleSelectors } };
}

function metaOf(namespace: string, name: string, labels: readonly string[]): RbacMeta {
  return {
    name,
    ...(namespace === "" ? {} : { namespace }),
    labels: {
      "kubernetes.io/bootstrapping": "rbac-defaults",
      ...Object.fromEntries(labels.map((label) => [label, "true"])),
    },
    annotations: { [autoUpdateAnnotation]: "true" },
  };
}

function ruleOf(text: string): Rule {
  const [verbs = [], first = [], resources, resourceNames] = text.split("|").map((list) => list.split(","));
  if (resources === undefined) return { verbs, nonResourceURLs: first };
  return { verbs, apiGroups: first, resources, ...(resourceNames === undefined ? {} : { resourceNames }) };
}

function roleRefOf(text: string): RoleRefObject {
  const [kind, name] = split(text, " ");
  return { apiGroup: rbacGroup, kind, name };
}

function subjectOf(text: string): SubjectObject {
  const [kind, name] = split(text, " ");
  if (kind !== "ServiceAccount") return { kind, apiGroup: rbacGroup, name };
  const [namespace, account] = split(name, "/");
  return { kind, name: account, namespace };
}

function split(text: string, by: string): [string, string] {
  const at = text.indexOf(by);
  return [text.slice(0, at), text.slice(at + 1)];
}
