// Validation of object names. With `isPrefix` the name is a `generateName`, to which a suffix is added.

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

/** Returns the problems of a name that must be a DNS subdomain. */
export function subdomainName(name: string, { isPrefix }: NameOptions): string[] {
  return dnsSubdomainProblems(isPrefix ? maskTrailingDash(name) : name);
}

/** Returns the problems of a name that must be a DNS label. */
export function labelName(name: string, { isPrefix }: NameOptions): string[] {
  return dnsLabelProblems(isPrefix ? maskTrailingDash(name) : name);
}

/** Returns the problems of a name that must be a path segment. */
export function segmentName(name: string, { isPrefix }: NameOptions): string[] {
  return isPrefix ? pathSegmentPrefixProblems(name) : pathSegmentProblems(name);
}
