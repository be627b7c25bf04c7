import type { Field } from "../../../validation/field.ts";
import { segmentName } from "../../../validation/names.ts";
import type { KindStrategy } from "../../strategy.ts";
import { checkPolicyRule } from "../rules.ts";

/** Roles: names are path segments, and rules with non-resource URLs are rejected. */
export const roleStrategy: KindStrategy = {
  group: "rbac.authorization.k8s.io",
  plural: "roles",
  allowsCreateOnUpdate: true,
  validateName: segmentName,
  validate: checkRole,
};

/** Validates a Role except for its metadata; see `ValidateRole` in Kubernetes. */
function checkRole(object: Field): void {
  for (const rule of object.at("rules").items()) checkPolicyRule(rule, true);
}
