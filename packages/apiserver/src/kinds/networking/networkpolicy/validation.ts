import { isIP } from "node:net";
import type { Field } from "../../../validation/field.ts";
import { checkLabelSelector } from "../../../validation/label-selector.ts";

/** Validates a NetworkPolicy except for its metadata; see `ValidateNetworkPolicySpec` in Kubernetes. */
export function checkNetworkPolicy(object: Field): void {
  const spec = object.at("spec");
  checkLabelSelector(spec.at("podSelector"));
  for (const rule of spec.at("ingress").items()) checkPolicyRule(rule, "from");
  for (const rule of spec.at("egress").items()) checkPolicyRule(rule, "to");
  const types = spec.at("policyTypes");
  if (types.length > 2) {
    types.invalid("may not specify more than two policyTypes");
    return;
  }
  for (const type of types.items())
    if (!["Ingress", "Egress"].includes(type.text)) type.notSupported(["Ingress", "Egress"]);
}

function checkPolicyRule(rule: Field, direction: string): void {
  for (const port of rule.at("ports").items()) {
    const protocol = port.at("protocol");
    if (protocol.isSet && !["TCP", "UDP", "SCTP"].includes(protocol.text))
      protocol.notSupported(["TCP", "UDP", "SCTP"]);
    const number = port.at("port");
    const end = port.at("endPort");
    if (number.isSet) {
      number.portOrName();
      if (end.isSet && typeof number.value === "number") {
        // kube-apiserver shows `port` in this message, not `endPort`.
        if (end.number < number.number) end.invalid("must be greater than or equal to `port`", number.number);
        end.port();
      } else if (end.isSet) end.invalid("may not be specified when `port` is non-numeric");
    } else if (end.isSet) end.invalid("may not be specified when `port` is not specified");
  }
  for (const peer of rule.at(direction).items()) {
    let count = 0;
    for (const name of ["podSelector", "namespaceSelector"]) {
      if (!peer.at(name).isSet) continue;
      count += 1;
      checkLabelSelector(peer.at(name));
    }
    if (peer.at("ipBlock").isSet) {
      count += 1;
      checkIpBlock(peer.at("ipBlock"));
    }
    if (count === 0) peer.required("must specify a peer");
    else if (count > 1 && peer.at("ipBlock").isSet) {
      peer.forbidden("may not specify both ipBlock and another peer");
    }
  }
}

const cidrDetail = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";

function isCidr(text: string): boolean {
  const [address = "", bits, more] = text.split("/");
  const family = isIP(address);
  return (
    more === undefined && family !== 0 && /^\d{1,3}$/.test(bits ?? "") && Number(bits) <= (family === 4 ? 32 : 128)
  );
}

function checkIpBlock(block: Field): void {
  const cidr = block.at("cidr");
  if (cidr.text === "") {
    cidr.required();
    return;
  }
  if (!isCidr(cidr.text)) {
    cidr.invalid(cidrDetail);
    return;
  }
  for (const except of block.at("except").items()) {
    if (!isCidr(except.text)) except.invalid(cidrDetail);
    else if (!isInside(except.text, cidr.text)) {
      except.invalid("must be a strict subset of `cidr`");
    }
  }
}

function isInside(inner: string, outer: string): boolean {
  const [left, right] = [range(inner), range(outer)];
  if (left.bits.length !== right.bits.length) return false;
  return left.length > right.length && left.bits.slice(0, right.length) === right.bits.slice(0, right.length);
}

function range(cidr: string): { bits: string; length: number } {
  const [address = "", length] = cidr.split("/");
  const bits =
    isIP(address) === 4
      ? address
          .split(".")
          .map((part) => Number(part).toString(2).padStart(8, "0"))
          .join("")
      : v6Bits(address);
  return { bits, length: Number(length) };
}

function v6Bits(address: string): string {
  const [head = "", tail] = address.split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const middle = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => "0");
  return [...left, ...middle, ...right].map((part) => Number.parseInt(part, 16).toString(2).padStart(16, "0")).join("");
}
