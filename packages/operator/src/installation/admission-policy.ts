// Parts of admission policies that are installed with an operator.

import type { ValidatingAdmissionPolicyBinding } from "@homeostat/kubernetes/admissionregistration/v1";

/** Returns the binding of a ValidatingAdmissionPolicy to the whole cluster; requests that it denies are rejected. */
export function denyBinding(policyName: string): ValidatingAdmissionPolicyBinding {
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingAdmissionPolicyBinding",
    metadata: { name: policyName },
    spec: { policyName, validationActions: ["Deny"] },
  };
}

/** Returns texts as a CEL list. They must not contain quotes or backslashes. */
export function celList(texts: readonly string[]): string {
  return `[${texts.map((each) => `'${each}'`).join(", ")}]`;
}
