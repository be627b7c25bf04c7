// Validation of the rules of Roles and ClusterRoles.

import type { Field } from "../../validation/field.ts";

/** Checks a rule; `isNamespaced` for the rules of Roles. */
export function checkPolicyRule(rule: Field, isNamespaced: boolean): void {
  if (rule.at("verbs").length === 0) rule.at("verbs").required("verbs must contain at least one value");
  const urls = rule.at("nonResourceURLs");
  if (urls.length > 0) {
    if (isNamespaced) urls.invalid("namespaced rules cannot apply to non-resource URLs");
    if (rule.at("apiGroups").length + rule.at("resources").length + rule.at("resourceNames").length > 0) {
      urls.invalid("rules cannot apply to both regular resources and non-resource URLs");
    }
    return;
  }
  if (rule.at("apiGroups").length === 0)
    rule.at("apiGroups").required("resource rules must supply at least one api group");
  if (rule.at("resources").length === 0)
    rule.at("resources").required("resource rules must supply at least one resource");
}
