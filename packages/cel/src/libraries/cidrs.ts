import type { CallCost } from "../cost/model.ts";
import { add, exactly, scale } from "../cost/ranges.ts";
import { textFactor } from "../cost/rules.ts";
import { CelFailure, failure, noSuchOverload } from "../failure.ts";
import { defineLibrary, defineOverload, type Library } from "../library.ts";
import { boolType, intType, opaqueType, stringType, type OpaqueType } from "../types/type.ts";
import { sizeOf } from "../values/size-of.ts";
import { CelOpaque, type CelValue } from "../values/value.ts";
import { flatCost, readingCost } from "./call-costs.ts";
import { quote } from "./go-quote.ts";
import { isMappedVersion4 } from "./ip-address.ts";
import {
  equalIpPrefixes,
  formatIpPrefix,
  maskPrefix,
  parseIpPrefix,
  prefixContains,
  prefixContainsPrefix,
  type IpPrefix,
} from "./ip-prefix.ts";
import { ipType, IpValue, readIp } from "./ips.ts";
import { Malformed } from "./malformed.ts";

/** A network in CIDR notation. */
export class CidrValue extends CelOpaque {
  readonly prefix: IpPrefix;

  constructor(prefix: IpPrefix) {
    super();
    this.prefix = prefix;
  }

  override get type(): OpaqueType<CidrValue> {
    return cidrType;
  }

  override equals(other: CelValue): boolean | CelFailure {
    return other instanceof CidrValue ? equalIpPrefixes(this.prefix, other.prefix) : noSuchOverload();
  }

  /** Number of bytes that the prefix length covers. */
  override get size(): number {
    return Math.ceil(this.prefix.length / 8);
  }

  /** The network in CIDR notation. */
  override toString(): string {
    return formatIpPrefix(this.prefix);
  }
}

/** The CEL type `net.CIDR`. */
export const cidrType: OpaqueType<CidrValue> = opaqueType("net.CIDR", CidrValue, {
  estimateEquality: () => exactly(1),
});

/** An address has 4 or 16 bytes. */
const addressSize = { min: 4, max: 16 };

const containsIpCost: CallCost = {
  estimate: ({ overload, args: [other] }, context) => {
    if (other === undefined) return undefined;
    const comparing = scale(add(addressSize, addressSize), textFactor);
    const reading = overload === "cidr_contains_ip_string" ? scale(context.size(other), textFactor) : exactly(0);
    return { cost: add(comparing, reading) };
  },
  track: ([cidr, other], _result, overload) => {
    if (cidr === undefined || other === undefined) return undefined;
    const reading = overload === "cidr_contains_ip_string" ? Math.ceil(sizeOf(other) * textFactor) : 0;
    return Math.ceil((sizeOf(cidr) + sizeOf(cidr)) * textFactor) + reading;
  },
};

const containsCidrCost: CallCost = {
  estimate: ({ overload, args: [other] }, context) => {
    if (other === undefined) return undefined;
    const comparing = scale(add(addressSize, addressSize), textFactor);
    const masking = add(scale(addressSize, textFactor), exactly(1));
    const reading = overload === "cidr_contains_cidr_string" ? scale(context.size(other), textFactor) : exactly(0);
    return { cost: add(add(comparing, masking), reading) };
  },
  track: ([cidr, other], _result, overload) => {
    if (cidr === undefined || other === undefined) return undefined;
    const size = sizeOf(cidr);
    const reading = overload === "cidr_contains_cidr_string" ? Math.ceil(sizeOf(other) * textFactor) : 0;
    return Math.ceil((size + size) * textFactor) + Math.ceil(size * textFactor) + 1 + reading;
  },
};

/** The library of networks in CIDR notation: parsing and containment. */
export const cidrLibrary: Library = defineLibrary({
  name: "kubernetes.net.cidr",
  types: [cidrType],
  functions: () => [
    {
      name: "cidr",
      overloads: [defineOverload({ id: "string_to_cidr", params: [stringType], result: cidrType, implement: toCidr })],
      cost: readingCost(),
    },
    {
      name: "isCIDR",
      overloads: [
        defineOverload({
          id: "is_cidr",
          params: [stringType],
          result: boolType,
          implement: (text) => !(readCidr(text) instanceof Malformed),
        }),
      ],
      cost: readingCost(),
    },
    {
      name: "containsIP",
      overloads: [
        defineOverload({
          id: "cidr_contains_ip_string",
          member: true,
          params: [cidrType, stringType],
          result: boolType,
          implement: ({ prefix }, text) => {
            const address = readIp(text);
            // Kubernetes drops the parse error here, although not in `containsCIDR`.
            return address instanceof Malformed ? noSuchOverload() : prefixContains(prefix, address);
          },
        }),
        defineOverload({
          id: "cidr_contains_ip_ip",
          member: true,
          params: [cidrType, ipType],
          result: boolType,
          implement: ({ prefix }, { address }) => prefixContains(prefix, address),
        }),
      ],
      cost: containsIpCost,
    },
    {
      name: "containsCIDR",
      overloads: [
        defineOverload({
          id: "cidr_contains_cidr_string",
          member: true,
          params: [cidrType, stringType],
          result: boolType,
          implement: ({ prefix }, text) => {
            const other = toCidr(text);
            return other instanceof CelFailure ? other : prefixContainsPrefix(prefix, other.prefix);
          },
        }),
        defineOverload({
          id: "cidr_contains_cidr",
          member: true,
          params: [cidrType, cidrType],
          result: boolType,
          implement: (outer, inner) => prefixContainsPrefix(outer.prefix, inner.prefix),
        }),
      ],
      cost: containsCidrCost,
    },
    {
      name: "ip",
      overloads: [
        defineOverload({
          id: "cidr_ip",
          member: true,
          params: [cidrType],
          result: ipType,
          implement: ({ prefix }) => new IpValue(prefix.address),
        }),
      ],
    },
    {
      name: "masked",
      overloads: [
        defineOverload({
          id: "cidr_masked",
          member: true,
          params: [cidrType],
          result: cidrType,
          implement: ({ prefix }) => new CidrValue(maskPrefix(prefix)),
        }),
      ],
      cost: flatCost,
    },
    {
      name: "prefixLength",
      overloads: [
        defineOverload({
          id: "cidr_prefix_length",
          member: true,
          params: [cidrType],
          result: intType,
          implement: ({ prefix }) => BigInt(prefix.length),
        }),
      ],
      cost: flatCost,
    },
    {
      name: "string",
      overloads: [defineOverload({ id: "cidr_to_string", params: [cidrType], result: stringType, implement: String })],
    },
  ],
});

function toCidr(text: string): CidrValue | CelFailure {
  const prefix = readCidr(text);
  if (!(prefix instanceof Malformed)) return new CidrValue(prefix);
  return failure(`network address parse error during conversion from string: ${prefix.problem}`);
}

/** Parses a network. Returns the problem if it is malformed or not allowed in expressions. */
function readCidr(text: string): IpPrefix | Malformed {
  const prefix = parseIpPrefix(text);
  if (prefix instanceof Malformed) {
    return new Malformed(`network address parse error during conversion from string: ${prefix.problem}`);
  }
  if (isMappedVersion4(prefix.address)) {
    return new Malformed(`IPv4-mapped IPv6 address ${quote(text)} is not allowed`);
  }
  return prefix;
}
