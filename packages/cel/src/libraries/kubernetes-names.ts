import { byteLength } from "./utf8-text.ts";

/*
 * The checks behind the names of Kubernetes objects, with the messages of the API server. The regular expressions in the
 * messages are for people to read; the checks themselves walk the text once.
 */

const labelPattern = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const subdomainPattern = `${labelPattern}(\\.${labelPattern})*`;
const label1035Pattern = "[a-z]([-a-z0-9]*[a-z0-9])?";
const keyNamePattern = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const labelValuePattern = `(${keyNamePattern})?`;

const labelRule =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";
const subdomainRule =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
const label1035Rule =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";
const keyNameRule =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const labelValueRule =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

const labelBytesMax = 63;
const subdomainBytesMax = 253;

/** What is wrong with a DNS label (RFC 1123), as messages. Nothing wrong: an empty list. */
export function problemsOfDnsLabel(text: string): string[] {
  const problems = tooLong(text, labelBytesMax, "characters");
  if (isLabel(text)) return problems;
  const problem = isSubdomain(text) ? "must not contain dots" : broken(labelRule, labelPattern, ["my-name", "123-abc"]);
  return [...problems, problem];
}

/** What is wrong with a DNS subdomain (RFC 1123). `unit` is the word the message about its length uses. */
export function problemsOfDnsSubdomain(text: string, unit: "characters" | "bytes" = "characters"): string[] {
  const problems = tooLong(text, subdomainBytesMax, unit);
  return isSubdomain(text) ? problems : [...problems, broken(subdomainRule, subdomainPattern, ["example.com"])];
}

/** What is wrong with a DNS label of the older kind (RFC 1035), which starts with a letter. */
export function problemsOfDns1035Label(text: string): string[] {
  const problems = tooLong(text, labelBytesMax, "characters");
  if (isLabel(text) && /^[a-z]/.test(text)) return problems;
  return [...problems, broken(label1035Rule, label1035Pattern, ["my-name", "abc-123"])];
}

/** What is wrong with a label key, also called a qualified name: `example.com/name` or `name`. */
export function problemsOfQualifiedName(text: string): string[] {
  const rule = broken(keyNameRule, keyNamePattern, ["MyName", "my.name", "123-abc"]);
  const [first = "", second, third] = text.split("/", 3);
  if (third !== undefined) {
    return [`a valid label key ${rule} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  }
  const problems: string[] = [];
  if (second !== undefined) {
    const ofPrefix = first === "" ? ["must be non-empty"] : problemsOfDnsSubdomain(first, "bytes");
    problems.push(...ofPrefix.map((problem) => `prefix part ${problem}`));
  }
  const name = second ?? first;
  if (name === "") problems.push("name part must be non-empty");
  problems.push(...tooLong(name, labelBytesMax, "bytes").map((problem) => `name part ${problem}`));
  if (!isKeyName(name)) problems.push(`name part ${rule}`);
  return problems;
}

/** What is wrong with the value of a label. */
export function problemsOfLabelValue(text: string): string[] {
  const problems = tooLong(text, labelBytesMax, "bytes");
  if (text === "" || isKeyName(text)) return problems;
  return [...problems, broken(labelValueRule, labelValuePattern, ["MyValue", "my_value", "12345"])];
}

/**
 * A text that stands for a prefix of a name: one dash at the end is fine, since more comes after it.
 *
 * The API server puts an `a` in the place of the last two characters before it looks; so do we.
 */
export function maskTrailingDash(text: string): string {
  return text.endsWith("-") && text.length > 1 ? `${text.slice(0, -2)}a` : text;
}

function tooLong(text: string, bytesMax: number, unit: "characters" | "bytes"): string[] {
  return byteLength(text) > bytesMax ? [`must be no more than ${bytesMax} ${unit}`] : [];
}

function broken(rule: string, pattern: string, examples: readonly string[]): string {
  const shown = examples.map((example) => `'${example}', `).join(" or ");
  return `${rule} (e.g. ${shown}regex used for validation is '${pattern}')`;
}

function isLabel(text: string): boolean {
  return /^[-a-z0-9]+$/.test(text) && !text.startsWith("-") && !text.endsWith("-");
}

function isSubdomain(text: string): boolean {
  return text.split(".").every(isLabel);
}

function isKeyName(text: string): boolean {
  return /^[-A-Za-z0-9_.]+$/.test(text) && /^[A-Za-z0-9]/.test(text) && /[A-Za-z0-9]$/.test(text.slice(-1));
}
