import { isIPv4, isIPv6 } from "node:net";

/**
 * Whether a host is an IP address and no name.
 *
 * Node's test of IPv6 is a pattern that takes milliseconds to prepare; what has no colon, and the one address that every
 * server has, do not wait for it.
 */
export function isAddress(host: string): boolean {
  return host.includes(":") ? isVersion6(host) : isIPv4(host);
}

function isVersion6(host: string): boolean {
  return host === "::1" || (host.includes(":") && isIPv6(host));
}

/** The four or sixteen bytes of an IP address in its usual text form, which the caller has checked. */
export function addressBytes(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split(".").map(Number));
  const [whole = ""] = address.split("%");
  const [head = "", tail] = whole.split("::");
  const before = words(head);
  const after = words(tail ?? "");
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => 0);
  return Buffer.from([...before, ...zeros, ...after].flatMap((word) => [word >> 8, word & 0xff]));
}

/** 16-bit words of a part of an IPv6 address. The last may be an IPv4 address: `::ffff:10.0.0.1`. */
function words(part: string): number[] {
  if (part === "") return [];
  return part.split(":").flatMap((word) => {
    if (!word.includes(".")) return [Number.parseInt(word, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = word.split(".").map(Number);
    return [a * 256 + b, c * 256 + d];
  });
}

/** A name or address in the one form in which two of them can be compared: `::1` is `0:0:0:0:0:0:0:1`. */
export function normalHost(host: string): string {
  if (!isVersion6(host)) return host.toLowerCase();
  const bytes = addressBytes(host);
  return Array.from({ length: 8 }, (_, index) => bytes.readUInt16BE(index * 2).toString(16)).join(":");
}
