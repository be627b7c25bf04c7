// Validation of names, with the messages of Kubernetes, so that they are the same as those of the API server.

import { isDnsLabel, isDnsSubdomain, lengthProblems, patternProblem, subdomainProblems } from "./name-form.ts";

export { dnsSubdomainLengthMax } from "./name-form.ts";

/** The maximum length of a DNS label, the form of names that are used in host names or label values. */
export const dnsLabelLengthMax = 63;

/** Returns the problems of a DNS label (RFC 1123), such as the name of a namespace; empty if it is valid. */
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

/** Returns the problems of a DNS label (RFC 1035), such as the name of a Service; empty if it is valid. */
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

/** Returns the problems of a DNS subdomain (RFC 1123), the form of most names; empty if it is valid. */
export function dnsSubdomainProblems(name: string): string[] {
  return subdomainProblems(name, "characters");
}

/**
 * Returns the problems of a name as a segment of a URL path; empty if it is valid.
 *
 * Names of all kinds must pass: with `..` or `/` in a name, a request would reach another object. Unlike the check of Kubernetes, it
 * also rejects the empty name, which would address the whole collection.
 */
export function pathSegmentProblems(name: string): string[] {
  if (name === "") return ["must not be empty"];
  if (name === "." || name === "..") return [`may not be '${name}'`];
  return pathSegmentPrefixProblems(name);
}

/** Returns the problems of a prefix of such a name (`generateName`), which may also be empty, `.` or `..`. */
export function pathSegmentPrefixProblems(prefix: string): string[] {
  return ["/", "%"].filter((part) => prefix.includes(part)).map((part) => `may not contain '${part}'`);
}

/**
 * Returns the text to validate instead of a name prefix (`generateName`), which may end with a dash because a suffix follows.
 *
 * Like the API server, it replaces the last two characters of such a prefix by `a`.
 */
export function maskTrailingDash(prefix: string): string {
  return prefix.endsWith("-") && prefix.length > 1 ? `${prefix.slice(0, -2)}a` : prefix;
}
