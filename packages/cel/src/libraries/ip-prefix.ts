import { quote } from "./go-quote.ts";
import { equalIpAddresses, formatIpAddress, parseIpAddress, type IpAddress } from "./ip-address.ts";
import { Malformed } from "./malformed.ts";

/** An address with a prefix length: `192.168.0.1/24`. The bits after the prefix are kept. */
export interface IpPrefix {
  readonly address: IpAddress;
  readonly length: number;
}

/** Parses a network in CIDR notation, or returns the problem. */
export function parseIpPrefix(text: string): IpPrefix | Malformed {
  const malformed = (problem: string): Malformed => new Malformed(`netip.ParsePrefix(${quote(text)}): ${problem}`);
  const slash = text.lastIndexOf("/");
  if (slash < 0) return malformed("no '/'");
  const address = parseIpAddress(text.slice(0, slash));
  if (address instanceof Malformed) return malformed(address.problem);
  if (address.zone !== "") return malformed("IPv6 zones cannot be present in a prefix");

  const bits = text.slice(slash + 1);
  // Go reports a length that overflows 64 bits as malformed, and a smaller one only as out of range.
  if (!/^(?:[0-9]|[1-9][0-9]{0,18})$/.test(bits) || BigInt(bits) >= 1n << 63n) {
    return malformed(`bad bits after slash: ${quote(bits)}`);
  }
  const length = Number(bits);
  if (length > address.bytes.length * 8) return malformed("prefix length out of range");
  return { address, length };
}

/** Formats a network in CIDR notation. */
export function formatIpPrefix({ address, length }: IpPrefix): string {
  return `${formatIpAddress(address)}/${length}`;
}

/** Returns the prefix with all bits after its length set to zero. */
export function maskPrefix({ address, length }: IpPrefix): IpPrefix {
  const bytes = address.bytes.map((byte, index) => byte & maskOf(length - index * 8));
  return { address: { ...address, bytes }, length };
}

/** Reports whether a network contains an address. The families must be the same. */
export function prefixContains(prefix: IpPrefix, address: IpAddress): boolean {
  if (prefix.address.family !== address.family) return false;
  return address.bytes.every(
    (byte, index) => ((byte ^ (prefix.address.bytes[index] ?? 0)) & maskOf(prefix.length - index * 8)) === 0,
  );
}

/** Reports whether `outer` contains all addresses of `inner`. */
export function prefixContainsPrefix(outer: IpPrefix, inner: IpPrefix): boolean {
  return outer.length <= inner.length && prefixContains(outer, inner.address);
}

/** Reports whether two prefixes have the same length and address, including the bits after the length. */
export function equalIpPrefixes(left: IpPrefix, right: IpPrefix): boolean {
  return left.length === right.length && equalIpAddresses(left.address, right.address);
}

/** Returns the mask of a byte whose first `bits` bits belong to the network: none if negative, all if more than 8. */
function maskOf(bits: number): number {
  return bits >= 8 ? 0xff : bits <= 0 ? 0 : (0xff << (8 - bits)) & 0xff;
}
