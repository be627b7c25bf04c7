import type { KubeObject } from "@homeostat/core";
import type {
  NamedRuleWithOperations,
  ValidatingAdmissionPolicy,
} from "@homeostat/kubernetes/admissionregistration/v1";
import { celList, denyBinding, type InstallationContext } from "@homeostat/operator";
import { ChronikNodeGroup } from "../api/chronik-node-group.ts";
import { labels, managedSelector, productName } from "../api/labels.ts";
import { childTypes } from "../observe/kinds.ts";

/** Users of the control plane that change objects of clusters: controllers without accounts of their own, and the API server itself. */
const systemUsers = ["system:kube-controller-manager", "system:cloud-controller-manager", "system:apiserver"];

/** Groups of the controllers with accounts of their own, such as the garbage collector, and of kubelets. */
const systemGroups = ["system:serviceaccounts:kube-system", "system:nodes"];

/**
 * Denies changes of the objects of clusters to everyone but the operator and Kubernetes itself.
 *
 * The first policy finds the objects by their label. A request to `scale` contains no labels, only the selector of the pods, so it has a policy of its
 * own: a StatefulSet that is scaled by hand loses members without moving their data. Status, evictions, pods and claims are not restricted, nor are the scale
 * targets of autoscalers. The `users` and `groups` of the policies' variables are exempt, for emergencies.
 */
export function objectProtection({ instance, namespace, serviceAccount }: InstallationContext): KubeObject[] {
  const users = [`system:serviceaccount:${namespace}:${serviceAccount}`, ...systemUsers];
  const objects = { name: `${instance}-objects`, users };
  const scale = { name: `${instance}-scale`, users };
  const isOfCluster = `has(oldObject.status) && has(oldObject.status.selector) && oldObject.status.selector.contains('${labels.name}=${productName}')`;
  return [
    policyOf(objects, {
      matchConstraints: {
        objectSelector: { matchLabels: { ...managedSelector } },
        resourceRules: protectedResources(),
      },
    }),
    denyBinding(objects.name),
    policyOf(scale, {
      matchConstraints: {
        resourceRules: [
          {
            apiGroups: ["apps"],
            apiVersions: ["*"],
            operations: ["UPDATE"],
            resources: ["deployments/scale", "statefulsets/scale"],
          },
        ],
      },
      matchConditions: [{ name: "pods-of-a-cluster", expression: isOfCluster }],
    }),
    denyBinding(scale.name),
  ];
}

/** Returns the kinds of objects of clusters, except for the scale targets of autoscalers, by API group. */
function protectedResources(): NamedRuleWithOperations[] {
  const types = childTypes.filter(({ kind }) => kind !== ChronikNodeGroup.kind);
  const groups = [...new Set(types.map(({ group }) => group))];
  return groups.map((group) => ({
    apiGroups: [group],
    apiVersions: ["*"],
    operations: ["UPDATE", "DELETE"],
    resources: types.filter((type) => type.group === group).map(({ plural }) => plural),
  }));
}

type PolicySpec = NonNullable<ValidatingAdmissionPolicy["spec"]>;

function policyOf(
  { name, users }: { readonly name: string; readonly users: readonly string[] },
  match: Pick<PolicySpec, "matchConstraints" | "matchConditions">,
): ValidatingAdmissionPolicy {
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingAdmissionPolicy",
    metadata: { name },
    spec: {
      failurePolicy: "Fail",
      ...match,
      variables: [
        { name: "users", expression: "[]" },
        { name: "groups", expression: celList(["system:masters"]) },
        { name: "ownUsers", expression: celList(users) },
        { name: "ownGroups", expression: celList(systemGroups) },
      ],
      validations: [
        {
          expression: [
            "request.userInfo.username in variables.ownUsers",
            "request.userInfo.username in variables.users",
            "(has(request.userInfo.groups) && request.userInfo.groups.exists(group, group in variables.groups || group in variables.ownGroups))",
          ].join(" || "),
          message: `change the ChronikCluster instead of its objects, or add your user to the variable users of the ValidatingAdmissionPolicy ${name}`,
          reason: "Forbidden",
        },
      ],
    },
  };
}
