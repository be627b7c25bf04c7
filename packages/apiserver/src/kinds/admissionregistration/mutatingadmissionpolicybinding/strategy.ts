import type { Field } from "../../../validation/field.ts";
import type { KindStrategy } from "../../strategy.ts";
import { policyBindingCells } from "../cells.ts";
import { policyPartDefaults } from "../defaults.ts";
import { checkMutatingOperations, checkPolicyBinding } from "../policies.ts";

/** MutatingAdmissionPolicyBindings: like those of validating policies, but without actions and without DELETE. */
export const mutatingAdmissionPolicyBindingStrategy: KindStrategy = {
  group: "admissionregistration.k8s.io",
  plural: "mutatingadmissionpolicybindings",
  hasGeneration: true,
  requiresVersionOnUpdate: true,
  allowsAnyFinalizer: true,
  defaults: policyPartDefaults,
  validate: checkMutatingBinding,
  table: { cells: policyBindingCells },
};

function checkMutatingBinding(object: Field): void {
  const spec = object.at("spec");
  checkPolicyBinding(spec);
  checkMutatingOperations(spec.at("matchResources"));
}
