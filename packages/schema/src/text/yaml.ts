// Writes JSON as YAML that YAML 1.1 parsers (as in kubectl) and YAML 1.2 parsers read the same way.
//
// A string is written without quotes only if no parser could read it as another type. Instead of listing every spelling of
// numbers and dates, this quotes every string that does not start like a word.

import { isList, isPlainRecord } from "@homeostat/core";

const words = new Set(["y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf"]);
const plainText = /^[A-Za-z_/][A-Za-z0-9_./-]*( [A-Za-z0-9_./(-][A-Za-z0-9_.,/()-]*)*$/;
const lineMax = 1000;
const depthMax = 200;

/**
 * Formats a JSON value as YAML in block style, with keys in their given order.
 *
 * The output is deterministic. Properties with the value `undefined` are omitted. Throws a `TypeError` for values that are not
 * JSON (functions, numbers that are not finite, class instances) and for more than 200 levels of nesting.
 *
 * @example
 * toYaml({ kind: "Tenant", spec: { enabled: "yes" } }); // 'kind: Tenant\nspec:\n  enabled: "yes"\n'
 */
export function toYaml(value: unknown): string {
  const lines: string[] = [];
  if (isBlock(value)) writeBlock(value, 0, lines);
  else lines.push(scalar(value, undefined));
  return `${lines.join("\n")}\n`;
}

type Block = readonly unknown[] | Readonly<Record<string, unknown>>;

/** Reports whether a value is a list or object that is not empty, which starts on a new line. */
function isBlock(value: unknown): value is Block {
  if (isList(value)) return value.length > 0;
  return typeof value === "object" && value !== null && isPlainRecord(value) && entriesOf(value).length > 0;
}

function entriesOf(record: Readonly<Record<string, unknown>>): [string, unknown][] {
  return Object.entries(record).filter(([, value]) => value !== undefined);
}

function writeBlock(block: Block, depth: number, lines: string[]): void {
  if (depth > depthMax) throw new TypeError(`The value is nested deeper than ${depthMax} levels`);
  const indent = "  ".repeat(depth);
  if (isList(block)) {
    for (const element of block) writeItem(element, depth, lines);
    return;
  }
  for (const [key, value] of entriesOf(block)) {
    const name = keyOf(key, indent);
    if (!isBlock(value)) lines.push(`${name} ${scalar(value, depth + 1)}`);
    else {
      lines.push(name);
      // Lists are not indented relative to their key, as in the output of kubectl.
      writeBlock(value, isList(value) ? depth : depth + 1, lines);
    }
  }
}

// YAML limits implicit keys to 1024 characters; longer keys need the explicit indicator `?`.
function keyOf(key: string, indent: string): string {
  const name = text(key, undefined);
  return name.length <= lineMax ? `${indent}${name}:` : `${indent}? ${name}\n${indent}:`;
}

function writeItem(element: unknown, depth: number, lines: string[]): void {
  const indent = "  ".repeat(depth);
  if (!isBlock(element)) {
    lines.push(`${indent}- ${scalar(element, depth + 1)}`);
    return;
  }
  const inner: string[] = [];
  writeBlock(element, depth + 1, inner);
  // The first line of the item is on the line of the dash.
  lines.push(`${indent}- ${(inner[0] ?? "").trimStart()}`, ...inner.slice(1));
}

function scalar(value: unknown, depth: number | undefined): string {
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "number" && Number.isFinite(value)) return number(value);
  if (typeof value === "string") return text(value, depth);
  if (isList(value)) return "[]";
  if (typeof value === "object" && isPlainRecord(value)) return "{}";
  throw new TypeError(`A value of type ${typeof value} is not JSON and cannot be written as YAML`);
}

// YAML 1.1 requires a decimal point before an exponent: it reads `1e+21` as a string.
function number(value: number): string {
  const printed = Object.is(value, -0) ? "0" : String(value);
  const [digits = "", power] = printed.split("e");
  if (power === undefined) return printed;
  return `${digits.includes(".") ? digits : `${digits}.0`}e${power}`;
}

/** Formats a string. With `depth`, a multi-line string may be written as a literal block with that indentation. */
function text(value: string, depth: number | undefined): string {
  if (value.length <= lineMax && plainText.test(value) && !words.has(value.toLowerCase())) return value;
  if (depth !== undefined && isLiteral(value)) return literal(value, depth);
  return quoted(value);
}

/** Reports whether a multi-line string can be a literal block: printable, and no line has trailing spaces that could be trimmed. */
function isLiteral(value: string): boolean {
  return (
    /\n[^\n]/.test(value) &&
    /^[^\s]/.test(value) &&
    !/[ \t](\n|$)/.test(value) &&
    !/[^\n\t\x20-\x7e\u00a0-\u2027\u2030-\ud7ff\ue000-\ufefe\uff00-\ufffd]/.test(value)
  );
}

function literal(value: string, depth: number): string {
  const indent = "  ".repeat(depth);
  const body = value.replace(/\n+$/, "");
  const endings = value.length - body.length;
  const keep = endings === 0 ? "-" : endings === 1 ? "" : "+";
  const lines = body.split("\n").map((line) => (line === "" ? "" : `${indent}${line}`));
  return [`|${keep}`, ...lines, ...Array<string>(Math.max(0, endings - 1)).fill("")].join("\n");
}

/** Formats a string in double quotes as JSON, and also escapes characters that YAML treats as line breaks or forbids. */
function quoted(value: string): string {
  // An unpaired surrogate is not a character. Replace it with U+FFFD, as UTF-8 encoding does.
  const whole = value.replaceAll(/[\ud800-\udfff]/gu, "\ufffd");
  return JSON.stringify(whole).replaceAll(
    /[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
