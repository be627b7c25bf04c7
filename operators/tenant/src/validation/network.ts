// Rules for `spec.networkPolicy` and `spec.monitoring`.

import type { DeepReadonly } from "homeostat";
import {
  cidrProblems,
  forbiddenField,
  httpPathProblems,
  invalidField,
  ipBlockProblems,
  isPrintable,
  labelProblems,
  namespaceNameProblems,
  type Problem,
  requiredField,
} from "@homeostat/schema";
import type { MonitoringSpec, NetworkPolicySpec, NetworkRule } from "../api/tenant.ts";

export function* networkProblems(policy: DeepReadonly<NetworkPolicySpec>): Iterable<Problem> {
  const path = "spec.networkPolicy";
  yield* namespaceNameProblems(`${path}.allowedNamespaces`, policy.allowedNamespaces);
  for (const [index, rule] of (policy.ingressRules ?? []).entries()) {
    yield* ruleProblems(`${path}.ingressRules[${index}]`, rule, { own: "from", other: "to" });
  }
  for (const [index, rule] of (policy.egressRules ?? []).entries()) {
    yield* ruleProblems(`${path}.egressRules[${index}]`, rule, { own: "to", other: "from" });
  }
  const { namespaces, podLabels, cidrs } = policy.dns ?? {};
  yield* namespaceNameProblems(`${path}.dns.namespaces`, namespaces);
  yield* labelProblems(`${path}.dns.podLabels`, podLabels);
  yield* cidrProblems(`${path}.dns.cidrs`, cidrs);
}

export function* monitoringProblems(monitoring: DeepReadonly<MonitoringSpec> | undefined): Iterable<Problem> {
  yield* namespaceNameProblems("spec.monitoring.namespaces", monitoring?.namespaces);
  yield* httpPathProblems("spec.monitoring.prometheus.path", monitoring?.prometheus?.path);
}

function* ruleProblems(
  path: string,
  rule: DeepReadonly<NetworkRule>,
  { own, other }: { readonly own: "from" | "to"; readonly other: "from" | "to" },
): Iterable<Problem> {
  const { description = "", namespaces = [], cidrs = [], ports = [] } = rule;
  const labels = rule[own] ?? {};
  if (rule[other] !== undefined) {
    const direction = own === "from" ? "an ingress rule uses from" : "an egress rule uses to";
    yield forbiddenField(`${path}.${other}`, `${direction}, not ${other}`);
  }
  if (Object.keys(labels).length === 0 && namespaces.length === 0 && cidrs.length === 0) {
    yield requiredField(path, `set a peer: ${own}, namespaces or cidrs; use the CIDR 0.0.0.0/0 to allow all`);
  }
  if (!isPrintable(description))
    yield invalidField(`${path}.description`, description, "must not contain control characters");
  yield* labelProblems(`${path}.${own}`, labels);
  yield* namespaceNameProblems(`${path}.namespaces`, namespaces);
  yield* ipBlockProblems(`${path}.cidrs`, cidrs);
  for (const [index, { port, endPort }] of ports.entries()) {
    if (endPort !== undefined && endPort < port) {
      yield invalidField(`${path}.ports[${index}].endPort`, endPort, "must not be less than port");
    }
  }
}
