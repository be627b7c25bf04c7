import type { Field } from "../../../validation/field.ts";
import { checkLabelSelector } from "../../../validation/label-selector.ts";
import { segmentName } from "../../../validation/names.ts";
import type { KindStrategy } from "../../strategy.ts";
import { checkPolicyRule } from "../rules.ts";

/** ClusterRoles: names are path segments, such as `system:node`, and an update may create one. */
export const clusterRoleStrategy: KindStrategy = {
  group: "rbac.authorization.k8s.io",
  plural: "clusterroles",
  allowsCreateOnUpdate: true,
  validateName: segmentName,
  validate: checkClusterRole,
};

/** Validates a ClusterRole except for its metadata; see `ValidateClusterRole` in Kubernetes. */
function checkClusterRole(object: Field): void {
  for (const rule of object.at("rules").items()) checkPolicyRule(rule, false);
  const aggregation = object.at("aggregationRule");
  if (!aggregation.isSet) return;
  const selectors = aggregation.at("clusterRoleSelectors");
  if (selectors.length === 0)
    selectors.required("at least one clusterRoleSelector required if aggregationRule is non-nil");
  for (const selector of selectors.items()) {
    const before = selector.problems.length;
    checkLabelSelector(selector);
    if (selector.problems.length > before) selector.invalid("invalid label selector.", null);
  }
}
