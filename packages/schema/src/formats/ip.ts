// Kubernetes has always read the formats `ipv4` and `cidr` loosely: leading zeros are decimal. Only `ipv6` is as strict as
// addresses in expressions are, and shares their parser.

import { Malformed, parseIpAddress } from "@homeostat/cel";

/** Whether a text has the format `ipv4`. An IPv6 address that ends in dotted form has it too, as on the API server. */
export function isIpv4(text: string): boolean {
  if (!text.includes(".")) return false;
  return /[.:]/.exec(text)?.[0] === "." ? isDotted(text) : isColoned(text);
}

/** Whether a text has the format `ipv6`. */
export function isIpv6(text: string): boolean {
  return text.includes(":") && isIpAddress(text);
}

/** Whether a text is an address of either family in its strict form, without a zone. */
export function isIpAddress(text: string): boolean {
  const address = parseIpAddress(text);
  return !(address instanceof Malformed) && address.zone === "";
}

/** Whether a text has the format `cidr`: an address and the length of its prefix. */
export function isCidr(text: string): boolean {
  const slash = text.indexOf("/");
  if (slash < 0) return false;
  const address = text.slice(0, slash);
  const prefix = text.slice(slash + 1);
  const bits = isDotted(address) ? 32 : isColoned(address) ? 128 : -1;
  return /^[0-9]+$/.test(prefix) && Number(prefix) <= bits;
}

/** Whether a text is an IPv4 address. */
function isDotted(text: string): boolean {
  const fields = text.split(".", 5);
  return fields.length === 4 && fields.every((each) => /^[0-9]+$/.test(each) && Number(each) <= 255);
}

/** Whether a text is an IPv6 address. */
function isColoned(text: string): boolean {
  const gap = text.indexOf("::");
  if (gap < 0) return countGroups(text) === 8;
  const before = gap === 0 ? 0 : countGroups(text.slice(0, gap), { mayEndDotted: false });
  const after = gap + 2 === text.length ? 0 : countGroups(text.slice(gap + 2));
  // The gap stands for at least one group.
  return before >= 0 && after >= 0 && before + after <= 7;
}

/** How many 16-bit groups a run of groups has; a final dotted address counts for two. -1 when it is malformed. */
function countGroups(text: string, { mayEndDotted = true } = {}): number {
  const groups = text.split(":", 9);
  const last = groups.at(-1) ?? "";
  const dotted = mayEndDotted && last.includes(".") && isDotted(last);
  const plain = dotted ? groups.slice(0, -1) : groups;
  return plain.every((each) => /^0*[0-9A-Fa-f]{1,4}$/.test(each)) ? groups.length + (dotted ? 1 : 0) : -1;
}
