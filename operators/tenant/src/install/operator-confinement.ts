import type { KubeObject } from "@homeostat/core";
import type { ValidatingAdmissionPolicy } from "@homeostat/kubernetes/admissionregistration/v1";
import { celList, denyBinding, type InstallationContext } from "@homeostat/operator";
import { annotations, group, labels, manager } from "../api/identity.ts";
import { namespacePrefix } from "../api/names.ts";

const webhookConfigurations = [
  "admissionregistration.k8s.io/mutatingwebhookconfigurations",
  "admissionregistration.k8s.io/validatingwebhookconfigurations",
];

/** Reviews only request a decision; the API server does not store them. */
const reviews = [
  "authentication.k8s.io/tokenreviews",
  "authorization.k8s.io/subjectaccessreviews",
  "authorization.k8s.io/selfsubjectaccessreviews",
];

/**
 * Restricts writes of the operator's account to tenant namespaces and their content, tenants, its own Lease, Secret and webhook
 * configurations, and events.
 *
 * RBAC cannot express this: it grants permissions in one namespace or in all of them, and tenant namespaces do not exist when
 * the permissions are granted. So the permissions stay cluster-wide, and this policy denies their use everywhere else. It
 * covers every kind and every subresource, so a permission that is added later is confined as well. Reads are not subject to
 * admission.
 */
export function operatorConfinement({ instance, namespace, serviceAccount }: InstallationContext): KubeObject[] {
  const name = `${instance}-confinement`;
  const policy: ValidatingAdmissionPolicy = {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingAdmissionPolicy",
    metadata: { name },
    spec: {
      failurePolicy: "Fail",
      matchConstraints: {
        resourceRules: [{ apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["*/*"] }],
      },
      matchConditions: [
        {
          name: "operator-account",
          expression: `request.userInfo.username == 'system:serviceaccount:${namespace}:${serviceAccount}'`,
        },
      ],
      variables: [
        { name: "resource", expression: "request.resource.group + '/' + request.resource.resource" },
        // Optional fields of the request are absent, not empty.
        { name: "requestNamespace", expression: "has(request.namespace) ? request.namespace : ''" },
        { name: "subresource", expression: "has(request.subResource) ? request.subResource : ''" },
        { name: "isNamespace", expression: "variables.resource == '/namespaces'" },
        { name: "tenantNamespace", expression: allOf("variables.isNamespace", tenantNamespaceRule) },
        { name: "tenantContent", expression: allOf("!variables.isNamespace", tenantContentRule) },
        { name: "ownNamespace", expression: allOf("!variables.isNamespace", ownNamespaceRule(namespace)) },
        {
          name: "event",
          expression: "variables.resource == 'events.k8s.io/events' && variables.requestNamespace == 'default'",
        },
        { name: "clusterScoped", expression: anyOf(...clusterScopedRules(instance)) },
      ],
      validations: [
        {
          expression: anyOf(
            "variables.tenantNamespace",
            "variables.tenantContent",
            "variables.ownNamespace",
            "variables.event",
            "variables.clusterScoped",
          ),
          message: `the account of ${instance} may write only to tenant namespaces and to its own objects`,
          messageExpression: [
            "request.operation + ' ' + variables.resource",
            "(variables.requestNamespace == '' ? '' : ' in namespace ' + variables.requestNamespace)",
            `': the account of ${instance} may write only to tenant namespaces and to its own objects'`,
          ].join(" + "),
          reason: "Forbidden",
        },
      ],
    },
  };
  return [policy, denyBinding(name)];
}

/** Namespaces are created with the operator's marks, and changed or deleted only if they have them or consent to adoption. */
const tenantNamespaceRule = allOf(
  "variables.subresource == ''",
  `request.name.startsWith('${namespacePrefix}')`,
  anyOf(
    allOf("request.operation == 'CREATE'", isMarked("object")),
    allOf("request.operation == 'UPDATE'", anyOf(isMarked("oldObject"), allowsAdoption("oldObject"))),
    allOf("request.operation == 'DELETE'", isMarked("oldObject")),
  ),
);

/**
 * The API server reads `namespaceObject` from a cache, which may not show yet that a namespace was adopted a moment ago: consent
 * to adoption counts here as well.
 */
const tenantContentRule = allOf(
  `variables.requestNamespace.startsWith('${namespacePrefix}')`,
  anyOf(isMarked("namespaceObject"), allowsAdoption("namespaceObject")),
);

/** Builds the rule for the operator's namespace: the Lease, the Secret with the webhook certificate, and events of its own pods. */
function ownNamespaceRule(namespace: string): string {
  return allOf(
    `variables.requestNamespace == '${namespace}'`,
    `variables.resource in ${celList(["coordination.k8s.io/leases", "/secrets", "events.k8s.io/events"])}`,
    "request.operation in ['CREATE', 'UPDATE']",
  );
}

function clusterScopedRules(instance: string): readonly string[] {
  return [
    `variables.resource == '${group}/tenants' && request.operation == 'UPDATE'`,
    `variables.resource in ${celList(reviews)} && request.operation == 'CREATE'`,
    `variables.resource in ${celList(webhookConfigurations)} && request.operation == 'UPDATE' && request.name == '${instance}'`,
  ];
}

/** Builds a check for the operator's label or its annotation with the uid: the operator must be able to restore a removed label. */
function isMarked(namespace: string): string {
  return anyOf(
    `${hasEntry(namespace, "labels", labels.managedBy)} && ${namespace}.metadata.labels['${labels.managedBy}'] == '${manager}'`,
    hasEntry(namespace, "annotations", annotations.tenantUid),
  );
}

function allowsAdoption(namespace: string): string {
  const consent = `${namespace}.metadata.annotations['${annotations.allowAdoption}']`;
  return allOf(
    hasEntry(namespace, "annotations", annotations.allowAdoption),
    `'${namespacePrefix}' + ${consent} == ${namespace}.metadata.name`,
  );
}

function hasEntry(object: string, map: "labels" | "annotations", key: string): string {
  return `has(${object}.metadata.${map}) && '${key}' in ${object}.metadata.${map}`;
}

function allOf(...expressions: readonly string[]): string {
  return expressions.map(inParentheses).join(" && ");
}

function anyOf(...expressions: readonly string[]): string {
  return expressions.map(inParentheses).join(" || ");
}

function inParentheses(expression: string): string {
  return /^[\w.!]+$/.test(expression) ? expression : `(${expression})`;
}
