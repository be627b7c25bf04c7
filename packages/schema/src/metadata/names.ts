// The rules for names, with the words in which Kubernetes states them.

import { utf8Length } from "../value/utf8.ts";

const labelFormat = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const subdomainFormat = `${labelFormat}(\\.${labelFormat})*`;
const keyFormat = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const keyWords =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const label = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;
const key = /^(?:[A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;

function lengthProblems(text: string, bytesMax: number): string[] {
  return utf8Length(text) > bytesMax ? [`must be no more than ${bytesMax} bytes`] : [];
}

function formProblem(words: string, format: string, examples: readonly string[]): string {
  const shown = examples.map((example) => `'${example}', `).join(" or ");
  return `${words} (e.g. ${shown}regex used for validation is '${format}')`;
}

/** The problems of a text as a DNS label of RFC 1123. */
export function dnsLabelProblems(text: string): string[] {
  const problems = lengthProblems(text, 63);
  if (label.test(text)) return problems;
  if (text.split(".").every((part) => label.test(part))) return [...problems, "must not contain dots"];
  const words =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";
  return [...problems, formProblem(words, labelFormat, ["my-name", "123-abc"])];
}

/** The problems of a text as a DNS subdomain of RFC 1123. */
export function dnsSubdomainProblems(text: string): string[] {
  const problems = lengthProblems(text, 253);
  if (text.split(".").every((part) => label.test(part))) return problems;
  const words =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
  return [...problems, formProblem(words, subdomainFormat, ["example.com"])];
}

/** The problems of a text as a DNS label of RFC 1035, which begins with a letter. */
export function dns1035LabelProblems(text: string): string[] {
  const problems = lengthProblems(text, 63);
  if (/^[a-z](?:[-a-z0-9]*[a-z0-9])?$/.test(text)) return problems;
  const words =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";
  return [...problems, formProblem(words, "[a-z]([-a-z0-9]*[a-z0-9])?", ["my-name", "abc-123"])];
}

/** The problems of a text as the key of a label, or any other name that may have a domain before a slash. */
export function qualifiedNameProblems(text: string): string[] {
  const parts = text.split("/");
  const form = formProblem(keyWords, keyFormat, ["MyName", "my.name", "123-abc"]);
  if (parts.length > 2) {
    return [`a valid label key ${form} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  }
  const name = parts.at(-1) ?? "";
  const problems: string[] = [];
  if (parts.length === 2) {
    const prefix = parts[0] ?? "";
    const found = prefix === "" ? ["must be non-empty"] : dnsSubdomainProblems(prefix);
    problems.push(...found.map((problem) => `prefix part ${problem}`));
  }
  const length = name === "" ? ["must be non-empty"] : lengthProblems(name, 63);
  problems.push(...length.map((problem) => `name part ${problem}`));
  return key.test(name) ? problems : [...problems, `name part ${form}`];
}

/** The problems of a text as the value of a label. */
export function labelValueProblems(text: string): string[] {
  const problems = lengthProblems(text, 63);
  if (text === "" || key.test(text)) return problems;
  const form = formProblem(
    `a valid label must be an empty string or ${keyWords.replace("must ", "")}`,
    `(${keyFormat})?`,
    ["MyValue", "my_value", "12345"],
  );
  return [...problems, form];
}

/** The problems of a text as a name in a URL; a prefix of a name may be a dot or two. */
export function pathSegmentProblems(text: string, { isPrefix }: { isPrefix: boolean }): string[] {
  if (!isPrefix && (text === "." || text === "..")) return [`may not be '${text}'`];
  return ["/", "%"].filter((sign) => text.includes(sign)).map((sign) => `may not contain '${sign}'`);
}
