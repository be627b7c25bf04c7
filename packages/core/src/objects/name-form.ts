// Validation that is shared by names and label keys. The messages are those of Kubernetes, word for word: users search for them,
// and tests compare them.

import { utf8Length } from "../value/utf8.ts";

/** The maximum length of a DNS subdomain, the form of most names. */
export const dnsSubdomainLengthMax = 253;

/** The unit in messages. Kubernetes always counts bytes, but its messages for names say characters and those for labels say bytes. */
export type LengthUnit = "bytes" | "characters";

/** Returns the problems with the length of a text; empty if it is valid. */
export function lengthProblems(text: string, lengthMax: number, unit: LengthUnit): string[] {
  return utf8Length(text) > lengthMax ? [`must be no more than ${lengthMax} ${unit}`] : [];
}

/** Returns the message of Kubernetes for a value that does not match its pattern. */
export function patternProblem(rule: string, pattern: string, examples: readonly string[]): string {
  const shown = examples.map((example) => `'${example}', `).join(" or ");
  return `${rule} (e.g. ${shown}regex used for validation is '${pattern}')`;
}

/** Returns the problems of a lowercase DNS subdomain (RFC 1123); empty if it is valid. */
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

/**
 * Reports whether a text consists of DNS labels (RFC 1123) joined by dots, whatever its length.
 *
 * Reads the text once and makes no copy: webhooks and the API server check names of megabytes that a hostile user sends.
 */
export function isDnsSubdomain(text: string): boolean {
  let isLabelEnd = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    const isStart = at === 0 || text[at - 1] === ".";
    if (character === "." ? !isLabelEnd : character === "-" ? isStart : !isLetterOrDigit(text.charCodeAt(at)))
      return false;
    isLabelEnd = character !== "." && character !== "-";
  }
  return isLabelEnd;
}

/** Reports whether a text has the form of a DNS label (RFC 1123), whatever its length. */
export function isDnsLabel(text: string): boolean {
  // Three simple patterns instead of one with nested repetition, which could take exponential time.
  return /^[a-z0-9]/.test(text) && /[a-z0-9]$/.test(text) && !/[^-a-z0-9]/.test(text);
}

function isLetterOrDigit(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39);
}
