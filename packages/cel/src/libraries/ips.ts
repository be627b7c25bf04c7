import { exactly } from "../cost/ranges.ts";
import { CelFailure, noSuchOverload } from "../failure.ts";
import { defineLibrary, defineOverload, type FunctionDeclaration, type Library } from "../library.ts";
import { boolType, intType, opaqueType, stringType, type OpaqueType } from "../types/type.ts";
import { CelOpaque, type CelValue } from "../values/value.ts";
import { orFailure } from "./or-failure.ts";
import { flatCost, readingCost } from "./call-costs.ts";
import { quote } from "./go-quote.ts";
import { equalIpAddresses, formatIpAddress, isMappedVersion4, parseIpAddress, type IpAddress } from "./ip-address.ts";
import { isGlobalUnicast, isLinkLocalMulticast, isLinkLocalUnicast, isLoopback, isUnspecified } from "./ip-kinds.ts";
import { Malformed } from "./malformed.ts";

/** An IP address. */
export class IpValue extends CelOpaque {
  readonly address: IpAddress;

  constructor(address: IpAddress) {
    super();
    this.address = address;
  }

  override get type(): OpaqueType<IpValue> {
    return ipType;
  }

  override equals(other: CelValue): boolean | CelFailure {
    return other instanceof IpValue ? equalIpAddresses(this.address, other.address) : noSuchOverload();
  }

  /** Number of bytes: 4 or 16. */
  override get size(): number {
    return this.address.bytes.length;
  }

  /** The address in its canonical form. */
  override toString(): string {
    return formatIpAddress(this.address);
  }
}

/** The CEL type `net.IP`. */
export const ipType: OpaqueType<IpValue> = opaqueType("net.IP", IpValue, { estimateEquality: () => exactly(1) });

/** The library of IP addresses: parsing and classification. Zones and IPv4-mapped IPv6 addresses are not allowed. */
export const ipLibrary: Library = defineLibrary({
  name: "kubernetes.net.ip",
  types: [ipType],
  functions: () => [
    {
      name: "ip",
      overloads: [
        defineOverload({
          id: "string_to_ip",
          params: [stringType],
          result: ipType,
          implement: (text) => {
            const address = orFailure(readIp(text));
            return address instanceof CelFailure ? address : new IpValue(address);
          },
        }),
      ],
      cost: {
        estimate: (call, context) =>
          call.overload === "cidr_ip" ? { cost: exactly(1) } : readingCost().estimate(call, context),
        track: (args, result, overload) => (overload === "cidr_ip" ? 1 : readingCost().track(args, result, overload)),
      },
    },
    {
      name: "isIP",
      overloads: [
        defineOverload({
          id: "is_ip",
          params: [stringType],
          result: boolType,
          implement: (text) => !(readIp(text) instanceof Malformed),
        }),
      ],
      cost: readingCost(),
    },
    {
      name: "ip.isCanonical",
      overloads: [
        defineOverload({
          id: "ip_is_canonical",
          params: [stringType],
          result: boolType,
          implement: (text) => {
            const address = orFailure(readIp(text));
            return address instanceof CelFailure ? address : formatIpAddress(address) === text;
          },
        }),
      ],
      cost: readingCost(2),
    },
    {
      name: "family",
      overloads: [
        defineOverload({
          id: "ip_family",
          member: true,
          params: [ipType],
          result: intType,
          implement: ({ address }) => BigInt(address.family),
        }),
      ],
      cost: flatCost,
    },
    kind("isUnspecified", "ip_is_unspecified", isUnspecified),
    kind("isLoopback", "ip_is_loopback", isLoopback),
    kind("isLinkLocalMulticast", "ip_is_link_local_multicast", isLinkLocalMulticast),
    kind("isLinkLocalUnicast", "ip_is_link_local_unicast", isLinkLocalUnicast),
    kind("isGlobalUnicast", "ip_is_global_unicast", isGlobalUnicast),
    {
      name: "string",
      overloads: [defineOverload({ id: "ip_to_string", params: [ipType], result: stringType, implement: String })],
    },
  ],
});

/** Parses an address. Returns the problem if it is malformed or not allowed in expressions. */
export function readIp(text: string): IpAddress | Malformed {
  const address = parseIpAddress(text);
  if (address instanceof Malformed) {
    return new Malformed(`IP Address ${quote(text)} parse error during conversion from string: ${address.problem}`);
  }
  if (address.zone !== "") return new Malformed(`IP address ${quote(text)} with zone value is not allowed`);
  if (isMappedVersion4(address)) return new Malformed(`IPv4-mapped IPv6 address ${quote(text)} is not allowed`);
  return address;
}

function kind(name: string, id: string, holds: (address: IpAddress) => boolean): FunctionDeclaration {
  return {
    name,
    overloads: [
      defineOverload({
        id,
        member: true,
        params: [ipType],
        result: boolType,
        implement: ({ address }) => holds(address),
      }),
    ],
    cost: flatCost,
  };
}
