import { isIP } from "node:net";
import type { Field } from "../../../validation/field.ts";
import { checkIp } from "../../pod-templates/pod-spec.ts";
import { checkAddresses } from "./addresses.ts";

const types = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];

/** Checks a Service. The allocation checks whether addresses and node ports are free. */
export function checkService(object: Field): void {
  const spec = object.at("spec");
  const type = spec.at("type").text;
  const first = spec.at("clusterIPs").items()[0] ?? spec.at("clusterIP").as("spec.clusterIPs[0]");
  if (first.text !== "" && first.text !== "None" && type !== "ExternalName" && isIP(first.text) === 0) {
    // kube-apiserver allocates addresses before validation and stops there, so this is the only error.
    object.problems.length = 0;
    checkIp(first);
    return;
  }
  const addresses = spec.at("clusterIPs");
  const isHeadless = addresses.length === 1 && addresses.items()[0]?.text === "None";
  if (spec.at("ports").length === 0 && !isHeadless && type !== "ExternalName") spec.at("ports").required();
  if ((type === "LoadBalancer" || type === "NodePort") && isHeadless) {
    addresses.items()[0]?.invalid(`may not be set to 'None' for ${type} services`);
  }
  if (type === "ExternalName") {
    for (const name of ["clusterIPs", "ipFamilies", "ipFamilyPolicy"]) {
      if (spec.at(name).isSet) spec.at(name).forbidden("may not be set for ExternalName services");
    }
    if (spec.at("externalName").text === "") spec.at("externalName").required();
    else spec.at("externalName").with(spec.at("externalName").text.replace(/\.$/, "")).dnsSubdomain();
  }
  checkPorts(spec);
  if (spec.at("selector").isSet) spec.at("selector").labels();
  const affinity = spec.at("sessionAffinity");
  affinity.oneOf(["ClientIP", "None"], { isRequired: true });
  if (affinity.text === "ClientIP") {
    const timeout = spec.at("sessionAffinityConfig").at("clientIP").at("timeoutSeconds");
    if (timeout.number <= 0 || timeout.number > 86400) {
      timeout.invalid("must be greater than 0 and less than 86400", timeout.number);
    }
  } else if (affinity.text === "None" && spec.at("sessionAffinityConfig").isSet)
    spec.at("sessionAffinityConfig").forbidden("must not be set when session affinity is None");
  // A status write that creates a Service does not allocate addresses.
  if (type !== "ExternalName") checkAddresses(spec);
  for (const ip of spec.at("externalIPs").items()) checkIp(ip);
  const typeField = spec.at("type");
  if (!types.includes(type)) typeField.notSupported(types, type);
  checkNodePorts(spec);
  checkDuplicatePorts(spec.at("ports"));
  if (type !== "LoadBalancer") {
    for (const name of ["loadBalancerSourceRanges", "allocateLoadBalancerNodePorts", "loadBalancerClass"]) {
      // kube-apiserver spells one of the paths with a capital letter.
      const path = name === "loadBalancerSourceRanges" ? "spec.LoadBalancerSourceRanges" : `spec.${name}`;
      if (spec.at(name).isSet) spec.at(name).as(path).forbidden("may only be used when `type` is 'LoadBalancer'");
    }
  }
  const externalPolicy = spec.at("externalTrafficPolicy");
  if (externalPolicy.text !== "" && !["Cluster", "Local"].includes(externalPolicy.text))
    externalPolicy.notSupported(["Cluster", "Local"]);
  const internalPolicy = spec.at("internalTrafficPolicy");
  if (internalPolicy.isSet && !["Cluster", "Local"].includes(internalPolicy.text))
    internalPolicy.notSupported(["Cluster", "Local"]);
}

function checkPorts(spec: Field): void {
  const ports = spec.at("ports");
  const list = ports.items();
  const names = new Set<string>();
  for (const port of list) {
    const name = port.at("name");
    if (name.text === "") {
      if (list.length > 1) name.required();
    } else {
      name.dnsLabel();
      if (names.has(name.text)) name.duplicate();
      names.add(name.text);
    }
    port.at("port").port();
    port.at("protocol").oneOf(["SCTP", "TCP", "UDP"], { isRequired: true });
    port.at("targetPort").portOrName();
    const protocol = port.at("appProtocol");
    if (protocol.isSet) protocol.qualifiedName();
  }
}

function checkNodePorts(spec: Field): void {
  const isClusterIp = spec.at("type").text === "ClusterIP";
  const taken = new Set<string>();
  const given = spec
    .at("ports")
    .items()
    .filter((port) => port.at("nodePort").number !== 0);
  for (const port of isClusterIp ? given : [])
    port.at("nodePort").forbidden("may not be used when `type` is 'ClusterIP'");
  for (const port of given) {
    const key = `${port.at("protocol").text} ${port.at("nodePort").number}`;
    if (taken.has(key)) port.at("nodePort").duplicate();
    taken.add(key);
  }
}

function checkDuplicatePorts(ports: Field): void {
  const taken = new Set<string>();
  for (const port of ports.items()) {
    const key = `${port.at("protocol").text} ${port.at("port").number}`;
    if (taken.has(key)) {
      const { text: Protocol } = port.at("protocol");
      port.duplicate({
        Name: "",
        Protocol,
        AppProtocol: null,
        Port: port.at("port").number,
        TargetPort: 0,
        NodePort: 0,
      });
    }
    taken.add(key);
  }
}
