// The rules for names, with Kubernetes' own texts: users search for them, and the API server says the same.

import { patternProblem, utf8Length } from "../selectors/qualified-name.ts";

/** How long a DNS label may be: most names that become part of a host name or a label. */
export const dnsLabelLengthMax = 63;

/** How long a DNS subdomain may be: most other names. */
export const dnsSubdomainLengthMax = 253;

const labelProblem = patternProblem(
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', " +
    "and must start and end with an alphanumeric character",
  "[a-z0-9]([-a-z0-9]*[a-z0-9])?",
  ["my-name", "123-abc"],
);

const subdomainProblem = patternProblem(
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', " +
    "and must start and end with an alphanumeric character",
  "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*",
  ["example.com"],
);

const label1035Problem = patternProblem(
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', " +
    "start with an alphabetic character, and end with an alphanumeric character",
  "[a-z]([-a-z0-9]*[a-z0-9])?",
  ["my-name", "abc-123"],
);

/** What is wrong with a DNS label (RFC 1123), such as the name of a namespace; empty when nothing is. */
export function dnsLabelProblems(name: string): string[] {
  const problems = lengthProblems(name, dnsLabelLengthMax);
  if (isLabel(name)) return problems;
  return [...problems, name.split(".").every(isLabel) ? "must not contain dots" : labelProblem];
}

/** What is wrong with a DNS label (RFC 1035), such as the name of a Service; empty when nothing is. */
export function dns1035LabelProblems(name: string): string[] {
  const problems = lengthProblems(name, dnsLabelLengthMax);
  return isLabel(name) && /^[a-z]/.test(name) ? problems : [...problems, label1035Problem];
}

/** What is wrong with a DNS subdomain (RFC 1123), such as most names; empty when nothing is. */
export function dnsSubdomainProblems(name: string): string[] {
  const problems = lengthProblems(name, dnsSubdomainLengthMax);
  return name.split(".").every(isLabel) ? problems : [...problems, subdomainProblem];
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
  return ["/", "%"].filter((part) => name.includes(part)).map((part) => `may not contain '${part}'`);
}

/** Kubernetes counts bytes, but for names it says characters; for the keys of labels it says bytes. */
function lengthProblems(name: string, lengthMax: number): string[] {
  return utf8Length(name) > lengthMax ? [`must be no more than ${lengthMax} characters`] : [];
}

// Three tests without repetition inside repetition, so that no text makes them slow.
function isLabel(text: string): boolean {
  return /^[a-z0-9]/.test(text) && /[a-z0-9]$/.test(text) && !/[^-a-z0-9]/.test(text);
}
