// Kubernetes parses the formats `ipv4` and `cidr` leniently, with decimal leading zeros. Only `ipv6` is as strict as addresses in
// CEL expressions, and shares their parser.

import { Malformed, parseIpAddress } from "@homeostat/cel";

/** Reports whether a string has the format `ipv4`. As in the API server, so has an IPv6 address with an embedded IPv4 address. */
export function isIpv4(text: string): boolean {
  if (!text.includes(".")) return false;
  return /[.:]/.exec(text)?.[0] === "." ? isDotted(text) : isColoned(text);
}

/** Reports whether a string has the format `ipv6`. */
export function isIpv6(text: string): boolean {
  return text.includes(":") && isIpAddress(text);
}

/** Reports whether a string is a strict IPv4 or IPv6 address without a zone. */
export function isIpAddress(text: string): boolean {
  const address = parseIpAddress(text);
  return !(address instanceof Malformed) && address.zone === "";
}

/** Reports whether a string has the format `cidr`: an address and a prefix length. */
export function isCidr(text: string): boolean {
  const slash = text.indexOf("/");
  if (slash < 0) return false;
  const address = text.slice(0, slash);
  const prefix = text.slice(slash + 1);
  const bits = isDotted(address) ? 32 : isColoned(address) ? 128 : -1;
  return /^[0-9]+$/.test(prefix) && Number(prefix) <= bits;
}

/** Reports whether a string is an IPv4 address. */
function isDotted(text: string): boolean {
  const fields = text.split(".", 5);
  return fields.length === 4 && fields.every((each) => /^[0-9]+$/.test(each) && Number(each) <= 255);
}

/** Reports whether a string is an IPv6 address. */
function isColoned(text: string): boolean {
  const gap = text.indexOf("::");
  if (gap < 0) return countGroups(text) === 8;
  const before = gap === 0 ? 0 : countGroups(text.slice(0, gap), { mayEndDotted: false });
  const after = gap + 2 === text.length ? 0 : countGroups(text.slice(gap + 2));
  // `::` stands for at least one group.
  return before >= 0 && after >= 0 && before + after <= 7;
}

/** Returns the number of 16-bit groups; a final IPv4 address counts as two. Returns -1 if a group is malformed. */
function countGroups(text: string, { mayEndDotted = true } = {}): number {
  const groups = text.split(":", 9);
  const last = groups.at(-1) ?? "";
  const dotted = mayEndDotted && last.includes(".") && isDotted(last);
  const plain = dotted ? groups.slice(0, -1) : groups;
  return plain.every((each) => /^0*[0-9A-Fa-f]{1,4}$/.test(each)) ? groups.length + (dotted ? 1 : 0) : -1;
}
