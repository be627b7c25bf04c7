import { isIPv4, isIPv6 } from "node:net";

/** A block of addresses. */
export interface Cidr {
  readonly family: 4 | 6;
  /** The first address, as a number. */
  readonly first: bigint;
  /** How many of its bits are fixed. */
  readonly prefix: number;
}

/** Reads `10.0.0.0/8` or `2001:db8::/32`; undefined for what is no block. */
export function parseCidr(text: string): Cidr | undefined {
  const [, address = "", digits = ""] = /^([0-9A-Fa-f.:]{2,45})\/(0|[1-9]\d{0,2})$/.exec(text) ?? [];
  const prefix = Number(digits);
  const family = isIPv4(address) ? 4 : isIPv6(address) ? 6 : undefined;
  const bits = family === 4 ? 32 : 128;
  if (family === undefined || prefix > bits) return undefined;
  const rest = BigInt(bits - prefix);
  const value = family === 4 ? numberOfV4(address) : numberOfV6(address);
  return { family, first: (value >> rest) << rest, prefix };
}

/** Whether one block lies in another and is not the whole of it. */
export function isPartOf(inner: Cidr, outer: Cidr): boolean {
  if (inner.family !== outer.family || inner.prefix <= outer.prefix) return false;
  const rest = BigInt((outer.family === 4 ? 32 : 128) - outer.prefix);
  return inner.first >> rest === outer.first >> rest;
}

function numberOfV4(address: string): bigint {
  return address.split(".").reduce((sum, part) => (sum << 8n) + BigInt(part), 0n);
}

function numberOfV6(address: string): bigint {
  const [head = "", tail] = address.split("::");
  const before = groupsOf(head);
  const after = groupsOf(tail ?? "");
  const missing = 8 - before.length - after.length;
  return [...before, ...Array.from({ length: missing }, () => 0n), ...after].reduce(
    (sum, part) => (sum << 16n) + part,
    0n,
  );
}

/** Sixteen bits each; the last two may be written as an IPv4 address. */
function groupsOf(text: string): bigint[] {
  if (text === "") return [];
  return text.split(":").flatMap((part) => {
    if (!part.includes(".")) return [BigInt(`0x${part}`)];
    const v4 = numberOfV4(part);
    return [v4 >> 16n, v4 & 0xffffn];
  });
}
