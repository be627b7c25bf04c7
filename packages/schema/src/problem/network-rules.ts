// Rules for the fields of a spec from which NetworkPolicies are built.

import { type IpPrefix, Malformed, parseIpPrefix, prefixContainsPrefix } from "@homeostat/cel";
import { invalidField } from "./field-problems.ts";
import type { Problem } from "./problem.ts";

const cidrDetail = "must be a CIDR, such as 10.0.0.0/8 or 2001:db8::/32";

/** Length of the longest IPv6 address with an embedded IPv4 address, plus `/128`. */
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

/** Checks a list of IP blocks. As in a NetworkPolicy, each exception must be a strict subset of its block. */
export function* ipBlockProblems(path: string, blocks: readonly IpBlock[] = []): Iterable<Problem> {
  for (const [index, { cidr, except = [] }] of blocks.entries()) {
    const block = parseCidr(cidr);
    if (block === undefined) yield invalidField(`${path}[${index}].cidr`, cidr, cidrDetail);
    for (const [position, part] of except.entries()) {
      const exceptPath = `${path}[${index}].except[${position}]`;
      const exception = parseCidr(part);
      if (exception === undefined) yield invalidField(exceptPath, part, cidrDetail);
      else if (block !== undefined && !isStrictSubset(exception, block)) {
        yield invalidField(exceptPath, part, `must be a strict subset of ${cidr}`);
      }
    }
  }
}

function isStrictSubset(inner: IpPrefix, outer: IpPrefix): boolean {
  return inner.length > outer.length && prefixContainsPrefix(outer, inner);
}
