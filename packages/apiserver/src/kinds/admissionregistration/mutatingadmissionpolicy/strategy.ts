import { type CelType, listType } from "@homeostat/cel";
import { isRecord } from "@homeostat/core";
import type { EnvironmentForm } from "../../../admission/cel/environment.ts";
import { operationType, wholeObjectType } from "../../../admission/cel/patch-library.ts";
import type { Field } from "../../../validation/field.ts";
import type { KindStrategy } from "../../strategy.ts";
import { policyCells } from "../cells.ts";
import { policyPartDefaults } from "../defaults.ts";
import { checkExpression, checkPolicyHead } from "../policies.ts";

/** MutatingAdmissionPolicies: their CEL expressions must compile, and their rules may match only operations that can be mutated. */
export const mutatingAdmissionPolicyStrategy: KindStrategy = {
  group: "admissionregistration.k8s.io",
  plural: "mutatingadmissionpolicies",
  hasGeneration: true,
  requiresVersionOnUpdate: true,
  allowsAnyFinalizer: true,
  defaults: {
    ...policyPartDefaults,
    "admissionregistration.v1.MutatingAdmissionPolicySpec": { values: { failurePolicy: "Fail" } },
  },
  validate: checkMutatingPolicy,
  hasPolicyExpressions: true,
  table: { cells: policyCells },
};

function checkMutatingPolicy(object: Field): void {
  const spec = object.at("spec");
  const form = checkPolicyHead(spec, { isMutating: true });
  const mutations = spec.at("mutations");
  if (mutations.length === 0) mutations.required("mutations must contain at least one item");
  for (const mutation of mutations.items()) checkMutation(mutation, form);
  spec.at("reinvocationPolicy").oneOf(["IfNeeded", "Never"], { isRequired: true });
}

function checkMutation(mutation: Field, form: EnvironmentForm): void {
  const type = mutation.at("patchType");
  const [patch, configuration] = [mutation.at("jsonPatch"), mutation.at("applyConfiguration")];
  if (type.text === "") type.required();
  else if (type.text !== "JSONPatch" && type.text !== "ApplyConfiguration") {
    type.notSupported(["ApplyConfiguration", "JSONPatch"]);
  } else {
    const isPatch = type.text === "JSONPatch";
    const [own, other] = isPatch ? [patch, configuration] : [configuration, patch];
    if (!isRecord(own.value)) own.required(`must be specified when patchType is ${type.text}`);
    else checkMutationExpression(own.at("expression"), form, isPatch ? listType(operationType) : wholeObjectType);
    if (other.isSet) {
      const shown = isPatch ? "{applyConfiguration}" : "{jsonPatch}";
      other.invalid(`must not be specified when patchType is ${type.text}`, shown);
    }
  }
}

function checkMutationExpression(expression: Field, form: EnvironmentForm, type: CelType): void {
  const source = expression.text.trim();
  if (source === "") expression.required();
  else checkExpression(expression, { source, form: { ...form, makesPatches: true }, types: [type] });
}
