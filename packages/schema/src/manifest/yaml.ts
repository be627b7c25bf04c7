// Writes JSON values as YAML that every reader takes the same way: YAML 1.1 (as kubectl reads) and 1.2.
//
// A text is written plain only when no reader could take it for something else; in doubt it is quoted. That is why there
// is no list of every spelling of numbers and dates here: whatever does not start like a word is quoted.

import { isList, isPlainRecord } from "@homeostat/core";

const words = new Set(["y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf"]);
const plainText = /^[A-Za-z_/][A-Za-z0-9_./-]*( [A-Za-z0-9_./(-][A-Za-z0-9_.,/()-]*)*$/;
const lineMax = 1000;
const depthMax = 200;

/**
 * A JSON value as YAML, in block style, keys in the order they have.
 *
 * The same value always gives the same text. Properties that are `undefined` are left out. Throws a `TypeError` for
 * what JSON cannot hold (functions, numbers that are not finite, class instances) and for more than 200 levels.
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

/** Whether a value is a list or an object with something in it, which starts on a line of its own. */
function isBlock(value: unknown): value is Block {
  if (isList(value)) return value.length > 0;
  return typeof value === "object" && value !== null && isPlainRecord(value) && entriesOf(value).length > 0;
}

function entriesOf(record: Readonly<Record<string, unknown>>): [string, unknown][] {
  return Object.entries(record).filter(([, value]) => value !== undefined);
}

function writeBlock(block: Block, depth: number, lines: string[]): void {
  if (depth > depthMax) throw new TypeError(`YAML is written down to ${depthMax} levels; this value has more`);
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
      // Lists stand at the same column as their key, as kubectl prints them.
      writeBlock(value, isList(value) ? depth : depth + 1, lines);
    }
  }
}

// A reader looks for the colon no further than 1024 characters; a longer key has to say that it is one.
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
  // The first line of the item moves up beside its dash.
  lines.push(`${indent}- ${(inner[0] ?? "").trimStart()}`, ...inner.slice(1));
}

function scalar(value: unknown, depth: number | undefined): string {
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "number" && Number.isFinite(value)) return number(value);
  if (typeof value === "string") return text(value, depth);
  if (isList(value)) return "[]";
  if (typeof value === "object" && isPlainRecord(value)) return "{}";
  throw new TypeError(`YAML holds what JSON holds; a value of type ${typeof value} is none of it`);
}

// YAML 1.1 wants a dot before an exponent, and a sign in it: `1e+21` would be read as a text.
function number(value: number): string {
  const printed = Object.is(value, -0) ? "0" : String(value);
  const [digits = "", power] = printed.split("e");
  if (power === undefined) return printed;
  return `${digits.includes(".") ? digits : `${digits}.0`}e${power}`;
}

/** A text as YAML. Where `depth` is given it may take several lines, indented to it. */
function text(value: string, depth: number | undefined): string {
  if (value.length <= lineMax && plainText.test(value) && !words.has(value.toLowerCase())) return value;
  if (depth !== undefined && isLiteral(value)) return literal(value, depth);
  return quoted(value);
}

/** Whether a text of several lines can stand as it is: printable, with no line that an editor or reader might trim. */
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

/** A text in double quotes, as JSON writes it, with more escaped: what YAML takes for line breaks or does not allow. */
function quoted(value: string): string {
  // Half of a surrogate pair is no character; it becomes the replacement character, as it does in UTF-8.
  const whole = value.replaceAll(/[\ud800-\udfff]/gu, "\ufffd");
  return JSON.stringify(whole).replaceAll(
    /[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
