/**
 * How an address may be written. `loose` is how Kubernetes has always read the formats `ipv4` and `cidr`: leading
 * zeros are decimal. `strict` is how it reads `ipv6`.
 */
type Manner = "loose" | "strict";

/** Whether a text has the format `ipv4`. An IPv6 address that ends in dotted form has it too, as on the API server. */
export function isIpv4(text: string): boolean {
  return text.includes(".") && isAddress(text, "loose");
}

/** Whether a text has the format `ipv6`. */
export function isIpv6(text: string): boolean {
  return text.includes(":") && isAddress(text, "strict");
}

/** Whether a text has the format `cidr`: an address and the length of its prefix. */
export function isCidr(text: string): boolean {
  const slash = text.indexOf("/");
  if (slash < 0) return false;
  const address = text.slice(0, slash);
  const prefix = text.slice(slash + 1);
  const bits = isDotted(address, "loose") ? 32 : isColoned(address, "loose") ? 128 : -1;
  return /^[0-9]+$/.test(prefix) && Number(prefix) <= bits;
}

/** Whether a text is an address, of either family, without a zone. */
export function isAddress(text: string, manner: Manner): boolean {
  const sign = /[.:]/.exec(text)?.[0];
  return sign === "." ? isDotted(text, manner) : sign === ":" && isColoned(text, manner);
}

/** Whether a text is an IPv4 address. */
function isDotted(text: string, manner: Manner): boolean {
  const fields = text.split(".", 5);
  const field = manner === "loose" ? /^[0-9]+$/ : /^(?:0|[1-9][0-9]{0,2})$/;
  return fields.length === 4 && fields.every((each) => field.test(each) && Number(each) <= 255);
}

/** Whether a text is an IPv6 address. */
function isColoned(text: string, manner: Manner): boolean {
  const gap = text.indexOf("::");
  if (gap < 0) return countGroups(text, manner) === 8;
  const before = gap === 0 ? 0 : countGroups(text.slice(0, gap), manner, { mayEndDotted: false });
  const after = gap + 2 === text.length ? 0 : countGroups(text.slice(gap + 2), manner);
  // The gap stands for at least one group.
  return before >= 0 && after >= 0 && before + after <= 7;
}

/** How many 16-bit groups a run of groups has; a final dotted address counts for two. -1 when it is malformed. */
function countGroups(text: string, manner: Manner, { mayEndDotted = true } = {}): number {
  const groups = text.split(":", 9);
  const last = groups.at(-1) ?? "";
  const group = manner === "loose" ? /^0*[0-9A-Fa-f]{1,4}$/ : /^[0-9A-Fa-f]{1,4}$/;
  const dotted = mayEndDotted && last.includes(".") && isDotted(last, manner);
  const plain = dotted ? groups.slice(0, -1) : groups;
  return plain.every((each) => group.test(each)) ? groups.length + (dotted ? 1 : 0) : -1;
}
