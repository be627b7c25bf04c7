// The admission policy that shows warnings to users who apply a cluster.

import type {
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from "@homeostat/kubernetes/admissionregistration/v1";
import { group, version } from "../api/identity.ts";
import { warningRules } from "../validation/warnings.ts";

export const warningPolicyName = "chronik-cluster-warnings.chronik.stream";

/** Builds the policy. A failing policy never blocks a request: warnings are advice. */
export function warningPolicy(): ValidatingAdmissionPolicy {
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingAdmissionPolicy",
    metadata: { name: warningPolicyName },
    spec: {
      failurePolicy: "Ignore",
      matchConstraints: {
        resourceRules: [
          {
            apiGroups: [group],
            apiVersions: [version],
            operations: ["CREATE", "UPDATE"],
            resources: ["chronikclusters"],
          },
        ],
      },
      validations: warningRules.flatMap(({ policy }) => (policy === undefined ? [] : [{ ...policy }])),
    },
  };
}

/** Builds the binding of the policy to all namespaces. */
export function warningPolicyBinding(): ValidatingAdmissionPolicyBinding {
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingAdmissionPolicyBinding",
    metadata: { name: warningPolicyName },
    spec: { policyName: warningPolicyName, validationActions: ["Warn"] },
  };
}
