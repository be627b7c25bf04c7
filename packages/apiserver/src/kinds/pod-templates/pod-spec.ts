import { isIP } from "node:net";
import { labelValueProblems } from "@homeostat/core";
import { checkContainers, checkSeccomp, checkUserIds } from "./containers.ts";
import type { Field } from "../../validation/field.ts";
import { checkLabelSelector, checkNodeSelectorTerm } from "../../validation/label-selector.ts";
import { checkVolumes } from "./volumes.ts";

/** Checks a pod spec; `pod` is undefined for a spec in a template. */
export function checkPodSpec(spec: Field, pod?: { readonly name: string }): void {
  const grace = spec.at("terminationGracePeriodSeconds");
  if (!grace.isSet) grace.required();
  const volumes = checkVolumes(spec.at("volumes"), pod?.name ?? "");
  checkContainers(spec, { volumes, gracePeriodSeconds: grace.number });
  checkHostNetwork(spec, pod !== undefined);
  spec.at("restartPolicy").oneOf(["Always", "OnFailure", "Never"], { isRequired: true });
  spec.at("dnsPolicy").oneOf(["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"]);
  spec.at("nodeSelector").labels();
  checkPodSecurity(spec.at("securityContext"));
  checkAffinity(spec.at("affinity"));
  checkDns(spec);
  for (const gate of spec.at("readinessGates").items()) gate.at("conditionType").qualifiedName();
  for (const gate of spec.at("schedulingGates").items()) gate.at("name").qualifiedName();
  checkSpread(spec.at("topologySpreadConstraints"));
  if (spec.at("serviceAccountName").text !== "") spec.at("serviceAccountName").dnsSubdomain();
  if (spec.at("nodeName").text !== "") spec.at("nodeName").dnsSubdomain();
  if (spec.at("activeDeadlineSeconds").isSet) spec.at("activeDeadlineSeconds").between(1, 2147483647);
  if (spec.at("hostname").text !== "") spec.at("hostname").dnsLabel();
  if (spec.at("subdomain").text !== "") spec.at("subdomain").dnsLabel();
  checkTolerations(spec.at("tolerations"));
  for (const alias of spec.at("hostAliases").items()) {
    checkIp(alias.at("ip"));
    for (const name of alias.at("hostnames").items()) name.dnsSubdomain();
  }
  if (spec.at("priorityClassName").text !== "") spec.at("priorityClassName").dnsSubdomain();
  if (spec.at("runtimeClassName").isSet) spec.at("runtimeClassName").dnsSubdomain();
  if (spec.at("preemptionPolicy").isSet) spec.at("preemptionPolicy").oneOf(["PreemptLowerPriority", "Never"]);
}

/** Checks an IP address. */
export function checkIp(ip: Field): void {
  if (isIP(ip.text) === 0) ip.invalid("must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)", ip.text);
}

/**
 * Checks the ports of a pod in the network of its node. In a template, a port without `hostPort` is valid: it is
 * defaulted when the pod is created.
 */
function checkHostNetwork(spec: Field, isPod: boolean): void {
  if (spec.at("hostNetwork").value !== true) return;
  for (const port of spec
    .at("containers")
    .items()
    .flatMap((container) => container.at("ports").items())) {
    const host = port.at("hostPort").number;
    if ((!isPod && host === 0) || host === port.at("containerPort").number) continue;
    port.at("hostPort").invalid("must match `containerPort` when `hostNetwork` is true", host);
  }
}

function checkPodSecurity(context: Field): void {
  if (!context.isSet) return;
  const group = context.at("fsGroup");
  if (group.isSet && (group.number < 0 || group.number > 2147483647)) {
    group.invalid("must be between 0 and 2147483647, inclusive");
  }
  checkUserIds(context);
  for (const each of context.at("supplementalGroups").items()) {
    if (each.number < 0 || each.number > 2147483647) each.invalid("must be between 0 and 2147483647, inclusive");
  }
  const names = new Set<string>();
  for (const sysctl of context.at("sysctls").items()) {
    const name = sysctl.at("name");
    if (name.text === "") name.required();
    else if (
      !/^(?:[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?$/.test(name.text) ||
      name.text.length > 253
    ) {
      name.invalid(
        "must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$",
      );
    } else if (names.has(name.text)) name.duplicate();
    names.add(name.text);
  }
  if (context.at("fsGroupChangePolicy").isSet) context.at("fsGroupChangePolicy").oneOf(["Always", "OnRootMismatch"]);
  checkSeccomp(context.at("seccompProfile"));
}

function checkAffinity(affinity: Field): void {
  const node = affinity.at("nodeAffinity");
  const needed = node.at("requiredDuringSchedulingIgnoredDuringExecution");
  if (needed.isSet) {
    const terms = needed.at("nodeSelectorTerms");
    if (terms.length === 0) terms.required("must have at least one node selector term");
    for (const term of terms.items()) checkNodeSelectorTerm(term);
  }
  for (const term of node.at("preferredDuringSchedulingIgnoredDuringExecution").items()) {
    checkWeight(term.at("weight"));
    checkNodeSelectorTerm(term.at("preference"));
  }
  for (const kind of ["podAffinity", "podAntiAffinity"]) {
    for (const term of affinity.at(kind).at("requiredDuringSchedulingIgnoredDuringExecution").items())
      checkPodTerm(term);
    for (const term of affinity.at(kind).at("preferredDuringSchedulingIgnoredDuringExecution").items()) {
      checkWeight(term.at("weight"));
      checkPodTerm(term.at("podAffinityTerm"));
    }
  }
}

function checkWeight(weight: Field): void {
  if (weight.number < 1 || weight.number > 100) weight.invalid("must be in the range 1-100", weight.number);
}

function checkPodTerm(term: Field): void {
  checkLabelSelector(term.at("labelSelector"));
  checkLabelSelector(term.at("namespaceSelector"));
  for (const name of term.at("namespaces").items()) name.as(term.at("namespace").path).dnsLabel();
  const key = term.at("topologyKey");
  if (key.text === "") key.required("can not be empty");
  key.qualifiedName();
}

function checkDns(spec: Field): void {
  const config = spec.at("dnsConfig");
  if (spec.at("dnsPolicy").text === "None") {
    if (!config.isSet) return config.required("must provide `dnsConfig` when `dnsPolicy` is None");
    const servers = config.at("nameservers");
    if (servers.length === 0)
      return servers.required("must provide at least one DNS nameserver when `dnsPolicy` is None");
  }
  if (config.at("nameservers").length > 3) {
    config.at("nameservers").invalid("must not have more than 3 nameservers");
  }
  for (const server of config.at("nameservers").items()) checkIp(server);
  for (const search of config.at("searches").items()) {
    const name = search.text.replace(/\.$/, "");
    if (name.length > 253) search.invalid("must be no more than 253 characters", name);
    if (
      !/^_?[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?(?:\._?[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?)*$/.test(name) &&
      search.text !== "."
    ) {
      search.invalid(
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*')",
        name,
      );
    }
  }
  for (const option of config.at("options").items()) {
    if (option.at("name").text === "") option.required("must not be empty");
  }
}

function checkSpread(constraints: Field): void {
  const list = constraints.items();
  for (const [index, each] of list.entries()) {
    if (each.at("maxSkew").number <= 0)
      each.at("maxSkew").invalid("must be greater than zero", each.at("maxSkew").number);
    const key = each.at("topologyKey");
    if (key.text === "") key.required("can not be empty");
    const action = each.at("whenUnsatisfiable");
    action.oneOf(["DoNotSchedule", "ScheduleAnyway"]);
    const same = list.slice(index + 1).some((other) => {
      return other.at("topologyKey").text === key.text && other.at("whenUnsatisfiable").text === action.text;
    });
    if (same) {
      each.as(`${each.path}.{topologyKey, whenUnsatisfiable}`).duplicate(`{${key.text}, ${action.text}}`);
    }
    checkLabelSelector(each.at("labelSelector"));
  }
}

function checkTolerations(tolerations: Field): void {
  for (const each of tolerations.items()) {
    const [key, operator, effect] = [each.at("key"), each.at("operator"), each.at("effect")];
    if (key.text !== "") key.qualifiedName();
    if (key.text === "" && operator.text !== "Exists") {
      operator.invalid(
        'operator must be Exists when `key` is empty, which means "match all values and all keys"',
        operator.text,
      );
    }
    if (each.at("tolerationSeconds").isSet && effect.text !== "NoExecute") {
      effect.invalid("effect must be 'NoExecute' when `tolerationSeconds` is set", effect.text);
    }
    if (operator.text === "Equal" || operator.text === "") {
      const value = each.at("value").text;
      const details = labelValueProblems(value);
      if (details.length > 0) operator.invalid(details.join(";"), value);
    } else if (operator.text === "Exists") {
      if (each.at("value").text !== "")
        operator.invalid("value must be empty when `operator` is 'Exists'", each.at("value").text);
    } else {
      const isLater = operator.text === "Lt" || operator.text === "Gt";
      operator.notSupported(["Equal", "Exists", ...(isLater ? ["Lt", "Gt"] : [])]);
    }
    if (effect.text !== "") effect.oneOf(["NoSchedule", "PreferNoSchedule", "NoExecute"]);
  }
}
