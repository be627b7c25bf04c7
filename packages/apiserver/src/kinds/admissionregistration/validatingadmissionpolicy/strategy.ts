import { keptStatusMetadata } from "../../updates/kept-status-metadata.ts";
import type { KindStrategy } from "../../strategy.ts";
import { policyCells } from "../cells.ts";
import { policyPartDefaults } from "../defaults.ts";
import { checkPolicyStatus, checkValidatingPolicy } from "./validation.ts";

/** ValidatingAdmissionPolicies: their CEL expressions must compile. A controller type-checks them and writes warnings to the status. */
export const validatingAdmissionPolicyStrategy: KindStrategy = {
  group: "admissionregistration.k8s.io",
  plural: "validatingadmissionpolicies",
  hasGeneration: true,
  requiresVersionOnUpdate: true,
  allowsAnyFinalizer: true,
  defaults: {
    ...policyPartDefaults,
    "admissionregistration.v1.ValidatingAdmissionPolicySpec": { values: { failurePolicy: "Fail" } },
  },
  validate: checkValidatingPolicy,
  status: { ...keptStatusMetadata, validate: checkPolicyStatus },
  hasPolicyExpressions: true,
  table: { cells: policyCells },
};
