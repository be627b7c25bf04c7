// Rules for the fields of a spec from which NetworkPolicies are built.

import { type IpPrefix, Malformed, parseIpPrefix, prefixContainsPrefix } from "@homeostat/cel";
import { invalidField } from "./field-problems.ts";
import type { Problem } from "./problem.ts";

const cidrDetail = "must be a CIDR, such as 10.0.0.0/8 or 2001:db8::/32";

/** The longest IPv6 address with an embedded IPv4 address, and `/128`. */
const cidrLengthMax = 49;

function parseCidr(text: string): IpPrefix | undefined {
  const prefix = text.length <= cidrLengthMax ? parseIpPrefix(text) : undefined;
  return prefix instanceof Malformed ? undefined : prefix;
}

/** Checks a list of CIDRs. */
export function* cidrProblems(path: string, cidrs: readonly string[] = []): Iterable<Problem> {
  for (const [index, cidr] of cidrs.entries()) {
    if (parseCidr(cidr) === undefined) yield invalidField(`${path}[${index}]`, cidr, cidrDetail);
  }
}

/** An IP block of a NetworkPolicy. */
export interface IpBlock {
  readonly cidr: string;
  readonly except?: readonly string[] | undefined;
}

/** Checks a list of IP blocks: each exception must be smaller than the block and inside of it. */
export function* ipBlockProblems(path: string, blocks: readonly IpBlock[] = []): Iterable<Problem> {
  for (const [index, { cidr, except = [] }] of blocks.entries()) {
    const block = parseCidr(cidr);
    if (block === undefined) yield invalidField(`${path}[${index}].cidr`, cidr, cidrDetail);
    for (const [position, part] of except.entries()) {
      const place = `${path}[${index}].except[${position}]`;
      const exception = parseCidr(part);
      if (exception === undefined) yield invalidField(place, part, cidrDetail);
      else if (block !== undefined && !isSmallerPartOf(exception, block)) {
        yield invalidField(place, part, `must be a part of ${cidr}`);
      }
    }
  }
}

function isSmallerPartOf(inner: IpPrefix, outer: IpPrefix): boolean {
  return inner.length > outer.length && prefixContainsPrefix(outer, inner);
}
