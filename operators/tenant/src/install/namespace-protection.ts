import type { KubeObject } from "@homeostat/core";
import type {
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from "@homeostat/kubernetes/admissionregistration/v1";
import type { ConfigMap } from "@homeostat/kubernetes/core/v1";
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
 * Only the operator, the garbage collector and those named in the ConfigMap may: users and groups, a line each.
 */
export function namespaceProtection({ instance, namespace, serviceAccount }: InstallationPlace): KubeObject[] {
  const name = `${instance}-namespaces`;
  const apiVersion = "admissionregistration.k8s.io/v1";
  const allowed = [`system:serviceaccount:${namespace}:${serviceAccount}`, ...collectors];
  const parameters: ConfigMap = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace },
    data: { users: "", groups: "system:masters\n" },
  };
  const policy: ValidatingAdmissionPolicy = {
    apiVersion,
    kind: "ValidatingAdmissionPolicy",
    metadata: { name },
    spec: {
      failurePolicy: "Fail",
      paramKind: { apiVersion: "v1", kind: "ConfigMap" },
      matchConstraints: {
        objectSelector: { matchLabels: { [labels.managedBy]: manager } },
        resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["DELETE"], resources: ["namespaces"] }],
      },
      variables: [
        { name: "users", expression: linesOf("users") },
        { name: "groups", expression: linesOf("groups") },
        { name: "own", expression: `[${allowed.map((each) => `'${each}'`).join(", ")}]` },
      ],
      validations: [
        {
          expression: [
            "request.userInfo.username in variables.own",
            "request.userInfo.username in variables.users",
            "(has(request.userInfo.groups) && request.userInfo.groups.exists(group, group in variables.groups))",
          ].join(" || "),
          message: `the namespace of a tenant goes with its tenant: delete the Tenant, or name yourself in the ConfigMap ${namespace}/${name}`,
          reason: "Forbidden",
        },
      ],
    },
  };
  const binding: ValidatingAdmissionPolicyBinding = {
    apiVersion,
    kind: "ValidatingAdmissionPolicyBinding",
    metadata: { name },
    spec: {
      policyName: name,
      // Without the ConfigMap nobody is named, and nobody else may.
      paramRef: { name, namespace, parameterNotFoundAction: "Deny" },
      validationActions: ["Deny"],
    },
  };
  return [parameters, policy, binding];
}

/** The lines of an entry of the parameters that have something on them. */
function linesOf(key: string): string {
  const text = `params.data['${key}']`;
  const lines = `${text}.split('\\n').map(line, line.trim()).filter(line, line != '')`;
  return `has(params.data) && '${key}' in params.data ? ${lines} : []`;
}
