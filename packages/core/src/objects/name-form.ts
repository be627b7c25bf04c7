// What the rules for names and for the keys of labels have in common. The texts are Kubernetes' own, word for word: users
// search for them, and tests compare them.

import { utf8Length } from "../value/utf8.ts";

/** How long a DNS subdomain may be: most names. */
export const dnsSubdomainLengthMax = 253;

/** Kubernetes counts bytes everywhere; for names it says characters, and for labels it says bytes. */
export type LengthUnit = "bytes" | "characters";

/** What is wrong with the length of a text; empty when nothing is. */
export function lengthProblems(text: string, lengthMax: number, unit: LengthUnit): string[] {
  return utf8Length(text) > lengthMax ? [`must be no more than ${lengthMax} ${unit}`] : [];
}

/** The text for a value that does not match its pattern, as every Kubernetes validation words it. */
export function patternProblem(rule: string, pattern: string, examples: readonly string[]): string {
  const shown = examples.map((example) => `'${example}', `).join(" or ");
  return `${rule} (e.g. ${shown}regex used for validation is '${pattern}')`;
}

/** What is wrong with a lower-case DNS subdomain (RFC 1123); empty when nothing is. */
export function subdomainProblems(text: string, unit: LengthUnit): string[] {
  const problems = lengthProblems(text, dnsSubdomainLengthMax, unit);
  if (isDnsSubdomain(text)) return problems;
  const problem = patternProblem(
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', " +
      "and must start and end with an alphanumeric character",
    "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*",
    ["example.com"],
  );
  return [...problems, problem];
}

/** Whether a text is DNS labels (RFC 1123) joined by dots, of any length. */
export function isDnsSubdomain(text: string): boolean {
  return text.split(".").every(isDnsLabel);
}

/** Whether a text has the form of a DNS label (RFC 1123), whatever its length. */
export function isDnsLabel(text: string): boolean {
  // Three tests without repetition inside repetition, so that no text makes them slow.
  return /^[a-z0-9]/.test(text) && /[a-z0-9]$/.test(text) && !/[^-a-z0-9]/.test(text);
}
