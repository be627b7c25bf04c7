// Rules for `spec.access`: which subjects a tenant may give a role in its namespace.

import type { DeepReadonly } from "homeostat";
import { dnsLabelProblems, dnsSubdomainProblems } from "@homeostat/core";
import { forbiddenField, invalidField, isPrintable, type Problem, requiredField } from "@homeostat/schema";
import type { AccessSubject, TenantSpec } from "../api/tenant.ts";
import type { RuleSettings } from "../settings/settings.ts";

type Settings = Pick<RuleSettings, "operatorNamespace">;

export function* accessProblems(access: DeepReadonly<TenantSpec["access"]>, settings: Settings): Iterable<Problem> {
  for (const list of ["admins", "editors", "viewers"] as const) {
    for (const [index, subject] of (access?.[list] ?? []).entries()) {
      yield* subjectProblems(`spec.access.${list}[${index}]`, subject, settings);
    }
  }
}

function* subjectProblems(path: string, subject: DeepReadonly<AccessSubject>, settings: Settings): Iterable<Problem> {
  const { kind, name, namespace } = subject;
  if (name === "") yield requiredField(`${path}.name`, "set the name of the subject");
  else yield* nameProblems(path, subject, settings);
  if (kind === "ServiceAccount") {
    if (namespace === undefined || namespace === "")
      yield requiredField(`${path}.namespace`, "a ServiceAccount requires a namespace");
    else yield* accountNamespaceProblems({ field: `${path}.namespace`, value: namespace, namespace }, settings);
    return;
  }
  if (namespace !== undefined && namespace !== "")
    yield forbiddenField(`${path}.namespace`, `must not be set for a ${kind}`);
}

function* nameProblems(
  path: string,
  { kind, name }: DeepReadonly<AccessSubject>,
  settings: Settings,
): Iterable<Problem> {
  const field = `${path}.name`;
  if (!isPrintable(name)) yield invalidField(field, name, "must not contain control characters");
  else if (isReserved(name)) yield* reservedNameProblems(field, { kind, name }, settings);
  else if (kind === "ServiceAccount" && dnsSubdomainProblems(name).length > 0) {
    yield invalidField(field, name, "must be the name of a service account");
  } else if (name !== name.trim() || /[\p{Cf}\p{Default_Ignorable_Code_Point}]/u.test(name)) {
    yield invalidField(field, name, "must not start or end with a space or contain invisible characters");
  }
}

/** Kubernetes reserves this prefix for users and groups that it defines itself. */
const reservedPrefix = "system:";

/**
 * Reports whether a name has the reserved prefix, or looks like it.
 *
 * RBAC compares names byte by byte, but an authenticator, or a reviewer of a tenant, may not: capitals, wide forms and
 * invisible characters count as what they look like.
 */
function isReserved(name: string): boolean {
  const plain = name.normalize("NFKC").replaceAll(/[\s\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, "");
  return plain.toLowerCase().startsWith(reservedPrefix);
}

/**
 * The only names with the reserved prefix that a tenant may use. Each has a reason.
 *
 * - `system:serviceaccounts:<namespace>`, all service accounts of one namespace: a build system whose accounts come and go.
 *   It gives nothing that a list of subjects of kind ServiceAccount would not give. The group of all service accounts of the
 *   cluster, `system:serviceaccounts`, is no exception: every pod of the cluster is in it.
 */
const exceptions: readonly { readonly kind: AccessSubject["kind"]; readonly prefix: string }[] = [
  { kind: "Group", prefix: "system:serviceaccounts:" },
];

function* reservedNameProblems(
  field: string,
  { kind, name }: Pick<DeepReadonly<AccessSubject>, "kind" | "name">,
  settings: Settings,
): Iterable<Problem> {
  const exception = exceptions.find((each) => each.kind === kind && name.startsWith(each.prefix));
  if (exception !== undefined) {
    const namespace = name.slice(exception.prefix.length);
    yield* accountNamespaceProblems({ field, value: name, namespace }, settings);
    return;
  }
  const next =
    kind === "User" && name.startsWith("system:serviceaccount:")
      ? "use the kind ServiceAccount"
      : "specify users or groups of your identity provider, or service accounts";
  yield invalidField(field, name, `names that start with system: are reserved for Kubernetes; ${next}`);
}

/** Rejects accounts of system namespaces and of the operator, which have cluster-wide permissions. */
function* accountNamespaceProblems(
  { field, value, namespace }: { readonly field: string; readonly value: string; readonly namespace: string },
  { operatorNamespace }: Settings,
): Iterable<Problem> {
  if (dnsLabelProblems(namespace).length > 0) {
    const detail = value === namespace ? "must be the name of a namespace" : "must end with the name of a namespace";
    yield invalidField(field, value, detail);
  } else if (namespace.startsWith("kube-") || namespace === operatorNamespace) {
    const whose = namespace === operatorNamespace ? "the operator" : "Kubernetes";
    yield invalidField(field, value, `service accounts of ${whose} cannot be granted access; use another namespace`);
  }
}
