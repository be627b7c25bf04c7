import type { Field } from "../../../validation/field.ts";
import type { KindStrategy } from "../../strategy.ts";
import { policyBindingCells } from "../cells.ts";
import { policyPartDefaults } from "../defaults.ts";
import { checkPolicyBinding } from "../policies.ts";

/** ValidatingAdmissionPolicyBindings: at least one action, and not both Deny and Warn. */
export const validatingAdmissionPolicyBindingStrategy: KindStrategy = {
  group: "admissionregistration.k8s.io",
  plural: "validatingadmissionpolicybindings",
  hasGeneration: true,
  requiresVersionOnUpdate: true,
  allowsAnyFinalizer: true,
  defaults: policyPartDefaults,
  validate: checkValidatingBinding,
  table: { cells: policyBindingCells },
};

function checkValidatingBinding(object: Field): void {
  const spec = object.at("spec");
  checkPolicyBinding(spec);
  const actions = spec.at("validationActions");
  const seen = new Set<string>();
  for (const action of actions.items()) {
    if (!["Audit", "Deny", "Warn"].includes(action.text)) action.notSupported(["Audit", "Deny", "Warn"]);
    if (seen.has(action.text)) action.duplicate();
    seen.add(action.text);
  }
  if (seen.has("Deny") && seen.has("Warn")) {
    actions.invalid(
      "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)",
    );
  }
  if (seen.size === 0) actions.required("at least one validation action is required");
}
