// The messages of this file are those of Kubernetes, word for word: users search for them, and tests compare them.

import { lengthProblems, patternProblem, subdomainProblems } from "./name-form.ts";

const nameLengthMax = 63;
const namePattern = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const nameRule =
  "consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

// Fast path: nearly all keys and values match. The bounded repetition bounds the time.
const plainName = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;

/**
 * Returns the problems of a qualified name: the key of a label or annotation, such as `app` or `example.com/role`.
 * Empty if it is valid. The messages are those of `IsQualifiedName` of Kubernetes.
 */
export function qualifiedNameProblems(key: string): string[] {
  if (plainName.test(key)) return [];
  const slash = key.indexOf("/");
  if (slash >= 0 && key.indexOf("/", slash + 1) >= 0) {
    return [
      `a valid label key ${nameProblem()} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const problems = slash < 0 ? [] : prefixProblems(key.slice(0, slash));
  const name = key.slice(slash + 1);
  if (name === "") problems.push("name part must be non-empty");
  problems.push(...lengthProblems(name, nameLengthMax, "bytes").map((problem) => `name part ${problem}`));
  if (!isName(name)) problems.push(`name part ${nameProblem()}`);
  return problems;
}

/**
 * Returns the problems of the value of a label; empty if it is valid, as the empty value is.
 * The messages are those of `IsValidLabelValue` of Kubernetes.
 */
export function labelValueProblems(value: string): string[] {
  if (value === "" || plainName.test(value)) return [];
  const problems = lengthProblems(value, nameLengthMax, "bytes");
  if (!isName(value)) problems.push(valueProblem());
  return problems;
}

function nameProblem(): string {
  return patternProblem(`must ${nameRule}`, namePattern, ["MyName", "my.name", "123-abc"]);
}

function valueProblem(): string {
  const examples = ["MyValue", "my_value", "12345"];
  return patternProblem(`a valid label must be an empty string or ${nameRule}`, `(${namePattern})?`, examples);
}

function prefixProblems(prefix: string): string[] {
  if (prefix === "") return ["prefix part must be non-empty"];
  return subdomainProblems(prefix, "bytes").map((problem) => `prefix part ${problem}`);
}

// Three simple patterns instead of one with nested repetition, which could take exponential time.
function isName(text: string): boolean {
  return /^[A-Za-z0-9]/.test(text) && /[A-Za-z0-9]$/.test(text) && !/[^-A-Za-z0-9_.]/.test(text);
}
