// The rules for names, with Kubernetes' own texts: users search for them, and the API server says the same.

import { isDnsLabel, isDnsSubdomain, lengthProblems, patternProblem, subdomainProblems } from "./name-form.ts";

export { dnsSubdomainLengthMax } from "./name-form.ts";

/** How long a DNS label may be: most names that become part of a host name or a label. */
export const dnsLabelLengthMax = 63;

/** What is wrong with a DNS label (RFC 1123), such as the name of a namespace; empty when nothing is. */
export function dnsLabelProblems(name: string): string[] {
  const problems = lengthProblems(name, dnsLabelLengthMax, "characters");
  if (isDnsLabel(name)) return problems;
  if (isDnsSubdomain(name)) return [...problems, "must not contain dots"];
  const problem = patternProblem(
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', " +
      "and must start and end with an alphanumeric character",
    "[a-z0-9]([-a-z0-9]*[a-z0-9])?",
    ["my-name", "123-abc"],
  );
  return [...problems, problem];
}

/** What is wrong with a DNS label (RFC 1035), such as the name of a Service; empty when nothing is. */
export function dns1035LabelProblems(name: string): string[] {
  const problems = lengthProblems(name, dnsLabelLengthMax, "characters");
  if (isDnsLabel(name) && /^[a-z]/.test(name)) return problems;
  const problem = patternProblem(
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', " +
      "start with an alphabetic character, and end with an alphanumeric character",
    "[a-z]([-a-z0-9]*[a-z0-9])?",
    ["my-name", "abc-123"],
  );
  return [...problems, problem];
}

/** What is wrong with a DNS subdomain (RFC 1123), such as most names; empty when nothing is. */
export function dnsSubdomainProblems(name: string): string[] {
  return subdomainProblems(name, "characters");
}

/**
 * What is wrong with a name as part of a URL's path; empty when nothing is.
 *
 * Every name, of every kind, must pass: with `..` or `/` in it a request would reach another object. Unlike
 * Kubernetes' own check it also refuses the empty name, which would address the whole collection.
 */
export function pathSegmentProblems(name: string): string[] {
  if (name === "") return ["must not be empty"];
  if (name === "." || name === "..") return [`may not be '${name}'`];
  return pathSegmentPrefixProblems(name);
}

/** What is wrong with the beginning of such a name (`generateName`), which may be empty, a dot or two. */
export function pathSegmentPrefixProblems(prefix: string): string[] {
  return ["/", "%"].filter((part) => prefix.includes(part)).map((part) => `may not contain '${part}'`);
}

/**
 * The text to check in the place of the beginning of a name (`generateName`): a dash at its end is fine, as more follows.
 *
 * The API server puts an `a` in the place of the last two characters before it looks; so do we.
 */
export function maskTrailingDash(prefix: string): string {
  return prefix.endsWith("-") && prefix.length > 1 ? `${prefix.slice(0, -2)}a` : prefix;
}
