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
  // Three tests without repetition inside repetition, so that no text makes them slow.
  return /^[a-z0-9]/.test(text) && /[a-z0-9]$/.test(text) && !/[^-a-z0-9]/.test(text);
}

function isLetterOrDigit(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39);
}
