import { createParts } from "../../defaulting/defaults.ts";
import { segmentName } from "../../../validation/names.ts";
import type { KindStrategy } from "../../strategy.ts";
import { bindingCells, bindingDefaults, checkBinding, checkImmutableRoleRef } from "../bindings.ts";

/** ClusterRoleBindings: the role is immutable and must be a ClusterRole. */
export const clusterRoleBindingStrategy: KindStrategy = {
  group: "rbac.authorization.k8s.io",
  plural: "clusterrolebindings",
  allowsCreateOnUpdate: true,
  defaults: { ...bindingDefaults, "rbac.v1.ClusterRoleBinding": { rule: createParts("roleRef") } },
  validateName: segmentName,
  validate: (object) => checkBinding(object, ["ClusterRole"]),
  validateUpdate: checkImmutableRoleRef,
  table: { cells: bindingCells },
};
