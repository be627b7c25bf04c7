// Rules for the names of objects. `isPrefix` says that the name is the prefix of a generated one.

import {
  dnsLabelProblems,
  dnsSubdomainProblems,
  maskTrailingDash,
  pathSegmentPrefixProblems,
  pathSegmentProblems,
} from "@homeostat/core";

interface NameOptions {
  readonly isPrefix: boolean;
}

/** Returns what is wrong with a name that must be a DNS subdomain. */
export function subdomainName(name: string, { isPrefix }: NameOptions): string[] {
  return dnsSubdomainProblems(isPrefix ? maskTrailingDash(name) : name);
}

/** Returns what is wrong with a name that must be a DNS label. */
export function labelName(name: string, { isPrefix }: NameOptions): string[] {
  return dnsLabelProblems(isPrefix ? maskTrailingDash(name) : name);
}

/** Returns what is wrong with a name that must be a path segment. */
export function segmentName(name: string, { isPrefix }: NameOptions): string[] {
  return isPrefix ? pathSegmentPrefixProblems(name) : pathSegmentProblems(name);
}
