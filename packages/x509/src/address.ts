import { isIPv4, isIPv6 } from "node:net";

/**
 * Reports whether a host is an IP address, not a name.
 *
 * Node's `isIPv6` compiles a regular expression on first use, which takes milliseconds. Hosts without a colon, and
 * `::1`, which every server has, skip it.
 */
export function isAddress(host: string): boolean {
  return host.includes(":") ? isVersion6(host) : isIPv4(host);
}

function isVersion6(host: string): boolean {
  return host === "::1" || (host.includes(":") && isIPv6(host));
}

/** Returns the four or sixteen bytes of a valid IP address in text form. */
export function addressBytes(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split(".").map(Number));
  const [whole = ""] = address.split("%");
  const [head = "", tail] = whole.split("::");
  const before = words(head);
  const after = words(tail ?? "");
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => 0);
  return Buffer.from([...before, ...zeros, ...after].flatMap((word) => [word >> 8, word & 0xff]));
}

/** Returns the 16-bit words of a part of an IPv6 address. The last may be an IPv4 address: `::ffff:10.0.0.1`. */
function words(part: string): number[] {
  if (part === "") return [];
  return part.split(":").flatMap((word) => {
    if (!word.includes(".")) return [Number.parseInt(word, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = word.split(".").map(Number);
    return [a * 256 + b, c * 256 + d];
  });
}

/** Normalizes a host name or address for comparison: names to lower case, `::1` to `0:0:0:0:0:0:0:1`. */
export function normalizeHost(host: string): string {
  if (!isVersion6(host)) return host.toLowerCase();
  const bytes = addressBytes(host);
  return Array.from({ length: 8 }, (_, index) => bytes.readUInt16BE(index * 2).toString(16)).join(":");
}
