// The texts of this file are Kubernetes' own, word for word: users search for them, and tests compare them.

const nameLengthMax = 63;
const subdomainLengthMax = 253;
const namePattern = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const nameRule =
  "consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const subdomainPattern = "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
const subdomainRule =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', " +
  "and must start and end with an alphanumeric character";

const nameProblem: string = patternProblem(`must ${nameRule}`, namePattern, ["MyName", "my.name", "123-abc"]);
const valueProblem: string = patternProblem(
  `a valid label must be an empty string or ${nameRule}`,
  `(${namePattern})?`,
  ["MyValue", "my_value", "12345"],
);

// Nearly every key and value is one of these, and needs no second look. The length bounds the time.
const plainName = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;

/**
 * What is wrong with a qualified name: the key of a label or annotation, such as `app` or `example.com/role`.
 * Empty when nothing is. The texts are those of Kubernetes' `IsQualifiedName`.
 */
export function qualifiedNameProblems(key: string): string[] {
  if (plainName.test(key)) return [];
  const slash = key.indexOf("/");
  if (slash >= 0 && key.indexOf("/", slash + 1) >= 0) {
    return [
      `a valid label key ${nameProblem} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const problems = slash < 0 ? [] : prefixProblems(key.slice(0, slash));
  const name = key.slice(slash + 1);
  if (name === "") problems.push("name part must be non-empty");
  else if (utf8Length(name) > nameLengthMax) problems.push(`name part ${lengthProblem(nameLengthMax)}`);
  if (!isName(name)) problems.push(`name part ${nameProblem}`);
  return problems;
}

/**
 * What is wrong with the value of a label; empty when nothing is. The empty value is right.
 * The texts are those of Kubernetes' `IsValidLabelValue`.
 */
export function labelValueProblems(value: string): string[] {
  if (value === "" || plainName.test(value)) return [];
  const problems: string[] = [];
  if (utf8Length(value) > nameLengthMax) problems.push(lengthProblem(nameLengthMax));
  if (!isName(value)) problems.push(valueProblem);
  return problems;
}

/** What is wrong with a lower-case DNS subdomain (RFC 1123); empty when nothing is. Texts of `IsDNS1123Subdomain`. */
export function subdomainProblems(text: string): string[] {
  const problems: string[] = [];
  if (utf8Length(text) > subdomainLengthMax) problems.push(lengthProblem(subdomainLengthMax));
  if (!text.split(".").every(isDnsLabel))
    problems.push(patternProblem(subdomainRule, subdomainPattern, ["example.com"]));
  return problems;
}

/** The text for a value that does not match its pattern, as every Kubernetes validation words it. */
export function patternProblem(rule: string, pattern: string, examples: readonly string[]): string {
  const shown = examples.map((example) => `'${example}', `).join(" or ");
  return `${rule} (e.g. ${shown}regex used for validation is '${pattern}')`;
}

/** The text for a value that is too long, as every Kubernetes validation words it. */
export function lengthProblem(bytesMax: number): string {
  return `must be no more than ${bytesMax} bytes`;
}

/** How many bytes a text has in UTF-8, in which Kubernetes counts lengths. */
export function utf8Length(text: string): number {
  let bytes = 0;
  for (const character of text) bytes += utf8Bytes(character.codePointAt(0) ?? 0);
  return bytes;
}

function utf8Bytes(codePoint: number): number {
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x800) return 2;
  return codePoint < 0x1_0000 ? 3 : 4;
}

function prefixProblems(prefix: string): string[] {
  if (prefix === "") return ["prefix part must be non-empty"];
  return subdomainProblems(prefix).map((problem) => `prefix part ${problem}`);
}

// Three tests without repetition inside repetition, so that no text makes them slow.
function isName(text: string): boolean {
  return /^[A-Za-z0-9]/.test(text) && /[A-Za-z0-9]$/.test(text) && !/[^-A-Za-z0-9_.]/.test(text);
}

function isDnsLabel(text: string): boolean {
  return /^[a-z0-9]/.test(text) && /[a-z0-9]$/.test(text) && !/[^-a-z0-9]/.test(text);
}
