import type { KubeObject } from "@homeostat/core";
import type {
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from "@homeostat/kubernetes/admissionregistration/v1";
import type { InstallationPlace } from "@homeostat/operator";
import { labels, manager } from "../api/identity.ts";

/** Parts of Kubernetes that delete namespaces because somebody deleted what owns them, or that finish a deletion. */
const collectors = [
  "system:serviceaccount:kube-system:generic-garbage-collector",
  "system:serviceaccount:kube-system:namespace-controller",
  "system:kube-controller-manager",
];

/**
 * Keeps people from deleting the namespaces of tenants beside their tenants.
 *
 * Only the operator, the garbage collector and those named in the policy may: its variables `users` and `groups`. They are not in an
 * object of parameters, because an API server that has seen such an object go does not find the next one of its name, and would
 * then let nobody delete a tenant's namespace, not even the operator.
 */
export function namespaceProtection({ instance, namespace, serviceAccount }: InstallationPlace): KubeObject[] {
  const name = `${instance}-namespaces`;
  const apiVersion = "admissionregistration.k8s.io/v1";
  const allowed = [`system:serviceaccount:${namespace}:${serviceAccount}`, ...collectors];
  const policy: ValidatingAdmissionPolicy = {
    apiVersion,
    kind: "ValidatingAdmissionPolicy",
    metadata: { name },
    spec: {
      failurePolicy: "Fail",
      matchConstraints: {
        objectSelector: { matchLabels: { [labels.managedBy]: manager } },
        resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["DELETE"], resources: ["namespaces"] }],
      },
      variables: [
        { name: "users", expression: "[]" },
        { name: "groups", expression: listOf(["system:masters"]) },
        { name: "own", expression: listOf(allowed) },
      ],
      validations: [
        {
          expression: [
            "request.userInfo.username in variables.own",
            "request.userInfo.username in variables.users",
            "(has(request.userInfo.groups) && request.userInfo.groups.exists(group, group in variables.groups))",
          ].join(" || "),
          message: `the namespace of a tenant goes with its tenant: delete the Tenant, or name yourself among the users of the ValidatingAdmissionPolicy ${name}`,
          reason: "Forbidden",
        },
      ],
    },
  };
  const binding: ValidatingAdmissionPolicyBinding = {
    apiVersion,
    kind: "ValidatingAdmissionPolicyBinding",
    metadata: { name },
    spec: { policyName: name, validationActions: ["Deny"] },
  };
  return [policy, binding];
}

function listOf(names: readonly string[]): string {
  return `[${names.map((each) => `'${each}'`).join(", ")}]`;
}
