// Parts that the admission policies of the installation share.

import type { ValidatingAdmissionPolicyBinding } from "@homeostat/kubernetes/admissionregistration/v1";

/** Binds a policy to the whole cluster; requests that it denies are rejected. */
export function denyBinding(policyName: string): ValidatingAdmissionPolicyBinding {
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingAdmissionPolicyBinding",
    metadata: { name: policyName },
    spec: { policyName, validationActions: ["Deny"] },
  };
}

/** Returns texts as a CEL list. */
export function celList(texts: readonly string[]): string {
  return `[${texts.map((each) => `'${each}'`).join(", ")}]`;
}
