// Rules for `spec.access`.

import type { DeepReadonly } from "homeostat";
import { dnsLabelProblems, dnsSubdomainProblems } from "@homeostat/core";
import { forbiddenField, invalidField, isPrintable, type Problem, requiredField } from "@homeostat/schema";
import type { AccessSubject, TenantSpec } from "../api/tenant.ts";

export function* accessProblems(access: DeepReadonly<TenantSpec["access"]>): Iterable<Problem> {
  for (const list of ["admins", "editors", "viewers"] as const) {
    for (const [index, subject] of (access?.[list] ?? []).entries()) {
      yield* subjectProblems(`spec.access.${list}[${index}]`, subject);
    }
  }
}

function* subjectProblems(path: string, subject: DeepReadonly<AccessSubject>): Iterable<Problem> {
  const { kind, name, namespace } = subject;
  if (name === "") yield requiredField(`${path}.name`, "name the subject");
  else if (!isPrintable(name)) yield invalidField(`${path}.name`, name, "must not have control characters");
  if (kind === "ServiceAccount") {
    if (name !== "" && dnsSubdomainProblems(name).length > 0) {
      yield invalidField(`${path}.name`, name, "must be the name of a service account");
    }
    if (namespace === undefined || namespace === "")
      yield requiredField(`${path}.namespace`, "a ServiceAccount needs one");
    else if (dnsLabelProblems(namespace).length > 0) {
      yield invalidField(`${path}.namespace`, namespace, "must be the name of a namespace");
    }
    return;
  }
  if (namespace !== undefined && namespace !== "") yield forbiddenField(`${path}.namespace`, `a ${kind} has none`);
  if (kind === "Group" && name.startsWith("system:") && !isServiceAccounts(name)) {
    yield invalidField(`${path}.name`, name, "system groups are refused, except for those of service accounts");
  }
}

function isServiceAccounts(group: string): boolean {
  return group === "system:serviceaccounts" || group.startsWith("system:serviceaccounts:");
}
