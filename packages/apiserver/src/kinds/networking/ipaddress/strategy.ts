import { isSet, textAt, valueAt } from "../../../values/fields.ts";
import { age, nameOf } from "../../../tables/cell-text.ts";
import type { KindStrategy } from "../../strategy.ts";

/** IPAddresses: the server writes them for cluster IPs; see `own-objects/ip-addresses.ts`. */
export const ipAddressStrategy: KindStrategy = {
  group: "networking.k8s.io",
  plural: "ipaddresses",
  table: { cells: ipAddressCells },
};

function ipAddressCells(object: unknown, nowMs: number): unknown[] {
  const parent = valueAt(object, "spec", "parentRef");
  const group = textAt(parent, "group");
  const resource = `${textAt(parent, "resource")}${group === "" ? "" : `.${group}`}`.toLowerCase();
  const parts = [resource, textAt(parent, "namespace"), textAt(parent, "name")].filter((part) => part !== "");
  return [nameOf(object), isSet(parent) ? parts.join("/") : "<none>", age(object, nowMs)];
}
