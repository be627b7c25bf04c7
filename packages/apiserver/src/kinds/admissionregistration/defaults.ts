// Defaults that the kinds of this group share.

import type { DefaultValues, TypeDefaults } from "../defaulting/defaults.ts";

/** Default values of a webhook. */
export const webhookValues: DefaultValues = {
  failurePolicy: "Fail",
  matchPolicy: "Equivalent",
  namespaceSelector: {},
  objectSelector: {},
  timeoutSeconds: 10,
};

const serviceReference: TypeDefaults = { "admissionregistration.v1.ServiceReference": { values: { port: 443 } } };
const rules: TypeDefaults = { "admissionregistration.v1.RuleWithOperations": { values: { scope: "*" } } };
const matchResources: TypeDefaults = {
  "admissionregistration.v1.NamedRuleWithOperations": { values: { scope: "*" } },
  "admissionregistration.v1.MatchResources": {
    values: { matchPolicy: "Equivalent", namespaceSelector: {}, objectSelector: {} },
  },
};

/** Defaults of the parts of webhook configurations. */
export const webhookPartDefaults: TypeDefaults = { ...serviceReference, ...rules };

/** Defaults of the parts of policies and their bindings. */
export const policyPartDefaults: TypeDefaults = matchResources;
