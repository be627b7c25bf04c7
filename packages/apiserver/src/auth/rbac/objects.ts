import type { LabelSelectorObject } from "@homeostat/core";
import type { Rule } from "./rule.ts";

/** The group of roles and bindings. */
export const rbacGroup = "rbac.authorization.k8s.io";

/** What this needs of an object's metadata. */
export interface RbacMeta {
  readonly name?: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Rules with a name, in a namespace. */
export interface RoleObject {
  readonly kind: "Role";
  readonly metadata: RbacMeta;
  readonly rules?: readonly Rule[] | null;
}

/** Rules with a name, for the whole cluster; or the sum of those that selectors choose. */
export interface ClusterRoleObject {
  readonly kind: "ClusterRole";
  readonly metadata: RbacMeta;
  readonly rules?: readonly Rule[] | null;
  readonly aggregationRule?: { readonly clusterRoleSelectors?: readonly LabelSelectorObject[] | null } | null;
}

/** Whom a binding gives its role. */
export interface SubjectObject {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
  readonly apiGroup?: string;
}

/** Which role a binding gives. */
export interface RoleRefObject {
  readonly kind: string;
  readonly name: string;
  readonly apiGroup?: string;
}

/** Gives a role to subjects within a namespace. */
export interface RoleBindingObject {
  readonly kind: "RoleBinding";
  readonly metadata: RbacMeta;
  readonly roleRef: RoleRefObject;
  readonly subjects?: readonly SubjectObject[] | null;
}

/** Gives a role to subjects in the whole cluster. */
export interface ClusterRoleBindingObject {
  readonly kind: "ClusterRoleBinding";
  readonly metadata: RbacMeta;
  readonly roleRef: RoleRefObject;
  readonly subjects?: readonly SubjectObject[] | null;
}

/** A role of either kind. */
export type AnyRole = RoleObject | ClusterRoleObject;

/** A binding of either kind. */
export type AnyBinding = RoleBindingObject | ClusterRoleBindingObject;

/** Everything that decides who may do what. */
export type RbacObject = AnyRole | AnyBinding;

/** The key of an object within its kind: namespace and name. */
export function rbacKey({ name = "", namespace = "" }: RbacMeta): string {
  return `${namespace}/${name}`;
}
