import type { LabelSelectorObject } from "@homeostat/core";
import type { Rule } from "./rule.ts";

/** API group of roles and bindings. */
export const rbacGroup = "rbac.authorization.k8s.io";

/** The metadata used by RBAC. */
export interface RbacMeta {
  readonly name?: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** A Role. */
export interface RoleObject {
  readonly kind: "Role";
  readonly metadata: RbacMeta;
  readonly rules?: readonly Rule[] | null;
}

/** A ClusterRole, with its own rules or an aggregationRule. */
export interface ClusterRoleObject {
  readonly kind: "ClusterRole";
  readonly metadata: RbacMeta;
  readonly rules?: readonly Rule[] | null;
  readonly aggregationRule?: { readonly clusterRoleSelectors?: readonly LabelSelectorObject[] | null } | null;
}

/** A subject of a binding. */
export interface SubjectObject {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
  readonly apiGroup?: string;
}

/** The role that a binding grants. */
export interface RoleRefObject {
  readonly kind: string;
  readonly name: string;
  readonly apiGroup?: string;
}

/** A RoleBinding: grants a role to subjects in a namespace. */
export interface RoleBindingObject {
  readonly kind: "RoleBinding";
  readonly metadata: RbacMeta;
  readonly roleRef: RoleRefObject;
  readonly subjects?: readonly SubjectObject[] | null;
}

/** A ClusterRoleBinding: grants a role to subjects in the whole cluster. */
export interface ClusterRoleBindingObject {
  readonly kind: "ClusterRoleBinding";
  readonly metadata: RbacMeta;
  readonly roleRef: RoleRefObject;
  readonly subjects?: readonly SubjectObject[] | null;
}

/** A Role or ClusterRole. */
export type AnyRole = RoleObject | ClusterRoleObject;

/** A RoleBinding or ClusterRoleBinding. */
export type AnyBinding = RoleBindingObject | ClusterRoleBindingObject;

/** An object of one of the four RBAC kinds. */
export type RbacObject = AnyRole | AnyBinding;

/** Returns the key of an object within its kind: namespace and name. */
export function rbacKey({ name = "", namespace = "" }: RbacMeta): string {
  return `${namespace}/${name}`;
}
