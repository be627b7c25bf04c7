import type { KubeObject } from "@homeostat/core";
import type { ValidatingAdmissionPolicy } from "@homeostat/kubernetes/admissionregistration/v1";
import { celList, denyBinding, type InstallationContext } from "@homeostat/operator";
import { labels, manager } from "../api/identity.ts";

/** Controllers of Kubernetes that delete namespaces of deleted owners, or finish a deletion. */
const collectors = [
  "system:serviceaccount:kube-system:generic-garbage-collector",
  "system:serviceaccount:kube-system:namespace-controller",
  "system:kube-controller-manager",
];

/**
 * Denies direct deletion of tenant namespaces.
 *
 * Only the operator, the garbage collector, and the `users` and `groups` of the policy's variables may delete them. These are not in
 * a parameter object: an API server that saw a parameter object deleted does not find a new one of the same name, and would then
 * deny everyone, the operator included.
 */
export function namespaceProtection({ instance, namespace, serviceAccount }: InstallationContext): KubeObject[] {
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
        { name: "groups", expression: celList(["system:masters"]) },
        { name: "own", expression: celList(allowed) },
      ],
      validations: [
        {
          expression: [
            "request.userInfo.username in variables.own",
            "request.userInfo.username in variables.users",
            "(has(request.userInfo.groups) && request.userInfo.groups.exists(group, group in variables.groups))",
          ].join(" || "),
          message: `delete the Tenant instead of its namespace, or add your user to the variable users of the ValidatingAdmissionPolicy ${name}`,
          reason: "Forbidden",
        },
      ],
    },
  };
  return [policy, denyBinding(name)];
}
