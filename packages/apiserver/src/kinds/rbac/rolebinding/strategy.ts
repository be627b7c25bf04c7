import { createParts } from "../../defaulting/defaults.ts";
import { segmentName } from "../../../validation/names.ts";
import type { KindStrategy } from "../../strategy.ts";
import { bindingCells, bindingDefaults, checkBinding, checkImmutableRoleRef } from "../bindings.ts";

/** RoleBindings: the role is immutable, a Role or a ClusterRole. */
export const roleBindingStrategy: KindStrategy = {
  group: "rbac.authorization.k8s.io",
  plural: "rolebindings",
  allowsCreateOnUpdate: true,
  defaults: { ...bindingDefaults, "rbac.v1.RoleBinding": { rule: createParts("roleRef") } },
  validateName: segmentName,
  validate: (object) => checkBinding(object, ["Role", "ClusterRole"]),
  validateUpdate: checkImmutableRoleRef,
  table: { cells: bindingCells },
};
