// Rules for `spec.networkPolicy` and `spec.monitoring`.

import { BlockList, isIPv4, isIPv6 } from "node:net";
import type { DeepReadonly } from "homeostat";
import { forbiddenField, invalidField, type Problem, requiredField } from "@homeostat/schema";
import type { MonitoringSpec, NetworkPolicySpec, NetworkRule } from "../api/tenant.ts";
import { isPrintable, labelProblems, namespaceProblems } from "./texts.ts";

const noCidr = "must be a CIDR, such as 10.0.0.0/8 or 2001:db8::/32";

export function* networkProblems(policy: DeepReadonly<NetworkPolicySpec>): Iterable<Problem> {
  const path = "spec.networkPolicy";
  yield* namespaceProblems(`${path}.allowedNamespaces`, policy.allowedNamespaces);
  for (const [index, rule] of (policy.ingressRules ?? []).entries()) {
    yield* ruleProblems(`${path}.ingressRules[${index}]`, rule, { own: "from", other: "to" });
  }
  for (const [index, rule] of (policy.egressRules ?? []).entries()) {
    yield* ruleProblems(`${path}.egressRules[${index}]`, rule, { own: "to", other: "from" });
  }
  const { namespaces, podLabels, cidrs = [] } = policy.dns ?? {};
  yield* namespaceProblems(`${path}.dns.namespaces`, namespaces);
  yield* labelProblems(`${path}.dns.podLabels`, podLabels);
  for (const [index, cidr] of cidrs.entries()) {
    if (parseCidr(cidr) === undefined) yield invalidField(`${path}.dns.cidrs[${index}]`, cidr, noCidr);
  }
}

export function* monitoringProblems(monitoring: DeepReadonly<MonitoringSpec> | undefined): Iterable<Problem> {
  yield* namespaceProblems("spec.monitoring.namespaces", monitoring?.namespaces);
  const path = monitoring?.prometheus?.path ?? "/metrics";
  if (!isPrintable(path) || /\s/.test(path)) {
    yield invalidField("spec.monitoring.prometheus.path", path, "must not have spaces");
  }
}

function* ruleProblems(
  path: string,
  rule: DeepReadonly<NetworkRule>,
  { own, other }: { readonly own: "from" | "to"; readonly other: "from" | "to" },
): Iterable<Problem> {
  const { description = "", namespaces = [], cidrs = [], ports = [] } = rule;
  const labels = rule[own] ?? {};
  if (rule[other] !== undefined) {
    const direction = own === "from" ? "an ingress rule has from" : "an egress rule has to";
    yield forbiddenField(`${path}.${other}`, `${direction}, not ${other}`);
  }
  if (Object.keys(labels).length === 0 && namespaces.length === 0 && cidrs.length === 0) {
    yield requiredField(path, `name a peer: ${own}, namespaces or cidrs; use the CIDR 0.0.0.0/0 to allow all`);
  }
  if (!isPrintable(description))
    yield invalidField(`${path}.description`, description, "must not have control characters");
  yield* labelProblems(`${path}.${own}`, labels);
  yield* namespaceProblems(`${path}.namespaces`, namespaces);
  for (const [index, block] of cidrs.entries()) yield* blockProblems(`${path}.cidrs[${index}]`, block);
  for (const [index, { port, endPort }] of ports.entries()) {
    if (endPort !== undefined && endPort < port) {
      yield invalidField(`${path}.ports[${index}].endPort`, endPort, "must not be below port");
    }
  }
}

function* blockProblems(
  path: string,
  { cidr, except = [] }: { readonly cidr: string; readonly except?: readonly string[] | undefined },
): Iterable<Problem> {
  const outer = parseCidr(cidr);
  if (outer === undefined) yield invalidField(`${path}.cidr`, cidr, noCidr);
  for (const [index, part] of except.entries()) {
    const inner = parseCidr(part);
    if (inner === undefined) yield invalidField(`${path}.except[${index}]`, part, noCidr);
    else if (outer !== undefined && !isPartOf(inner, outer)) {
      yield invalidField(`${path}.except[${index}]`, part, `must be a part of ${cidr}`);
    }
  }
}

/** An IP address range. */
export interface Cidr {
  readonly address: string;
  readonly family: "ipv4" | "ipv6";
  readonly prefix: number;
}

/** Parses `10.0.0.0/8` or `2001:db8::/32`. */
export function parseCidr(text: string): Cidr | undefined {
  const [, address = "", digits = ""] = /^([0-9A-Fa-f.:]{2,45})\/(0|[1-9]\d{0,2})$/.exec(text) ?? [];
  const prefix = Number(digits);
  if (isIPv4(address)) return prefix <= 32 ? { address, family: "ipv4", prefix } : undefined;
  return isIPv6(address) && prefix <= 128 ? { address, family: "ipv6", prefix } : undefined;
}

/** Reports whether `inner` is a proper part of `outer`. */
export function isPartOf(inner: Cidr, outer: Cidr): boolean {
  if (inner.family !== outer.family || inner.prefix <= outer.prefix) return false;
  const range = new BlockList();
  range.addSubnet(outer.address, outer.prefix, outer.family);
  return range.check(inner.address, inner.family);
}
