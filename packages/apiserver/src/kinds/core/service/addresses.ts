import { isIP } from "node:net";
import { isList } from "@homeostat/core";
import type { Field } from "../../../validation/field.ts";

const policies = ["PreferDualStack", "RequireDualStack", "SingleStack"];

/** Checks that the cluster IPs of a Service and their families agree. */
export function checkAddresses(spec: Field): void {
  const [address, addresses] = [spec.at("clusterIP").text, spec.at("clusterIPs")];
  const list: readonly unknown[] = isList(addresses.value) ? addresses.value : [];
  if (address !== "") {
    if (list.length === 0) addresses.required();
    else if (list[0] !== address) addresses.invalid("first value must match `clusterIP`", list);
  } else if (list.length > 0) addresses.invalid("must be empty when `clusterIP` is not specified", list);
  const seen = new Set<unknown>();
  for (const family of spec.at("ipFamilies").items()) {
    if (family.text !== "IPv4" && family.text !== "IPv6") family.notSupported(["IPv4", "IPv6"]);
    if (seen.has(family.value)) family.duplicate();
    seen.add(family.value);
  }
  const policy = spec.at("ipFamilyPolicy");
  if (policy.isSet && !policies.includes(policy.text)) policy.notSupported(policies);
  for (const [index, item] of addresses.items().entries()) {
    if (index === 0 && item.text === "None") {
      if (list.length > 1) addresses.invalid("'None' must be the first and only value", list);
      continue;
    }
    if (isIP(item.text) === 0) item.invalid("must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)");
  }
  if (list.length > 2) addresses.invalid("may only hold up to 2 values", list);
  if (list.length === 2 && list[0] !== "None" && isIP(String(list[0])) === isIP(String(list[1]))) {
    addresses.invalid("may specify no more than one IP for each IP family", list);
  }
}
