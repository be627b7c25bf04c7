import { ParseError } from "../errors/parse-error.ts";
import { type FieldRequirement, FieldSelector } from "./field-selector.ts";

/**
 * Parses a field selector: `field=value`, `field==value` or `field!=value`, separated by commas. All of them must hold.
 *
 * In a value `\`, `,` and `=` must be escaped with a backslash. White space is significant. The empty text matches everything.
 * Throws {@link ParseError} with the position.
 */
export function parseFieldSelector(text: string): FieldSelector {
  // Kubernetes sorts the terms as texts before it parses them, which determines the printed order.
  const terms = readTerms(text).sort((a, b) => byCodePoint(a.text, b.text));
  // A term with neither a field nor a value is ignored.
  const requirements = terms.map((term) => term.requirement).filter(({ field, value }) => field !== "" || value !== "");
  return requirements.length === 0 ? FieldSelector.everything : new FieldSelector(requirements);
}

interface Term {
  readonly text: string;
  readonly requirement: FieldRequirement;
}

function readTerms(text: string): Term[] {
  const terms: Term[] = [];
  let start = 0;
  while (start <= text.length) {
    const end = termEnd(text, start);
    if (end > start) terms.push({ text: text.slice(start, end), requirement: readRequirement(text, start, end) });
    start = end + 1;
  }
  return terms;
}

/** Returns the position of the next comma without a backslash before it, or the end. */
function termEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length && text[at] !== ",") at += text[at] === "\\" ? 2 : 1;
  return Math.min(at, text.length);
}

/** Splits a term at its first operator. The text before it is the field, including any backslashes. */
function readRequirement(text: string, start: number, end: number): FieldRequirement {
  for (let at = start; at < end; at += 1) {
    const isNegated = text.startsWith("!=", at) && at + 1 < end;
    if (!isNegated && text[at] !== "=") continue;
    const valueAt = isNegated || (text[at + 1] === "=" && at + 1 < end) ? at + 2 : at + 1;
    return {
      field: text.slice(start, at),
      operator: isNegated ? "!=" : "=",
      value: readValue(text, valueAt, end),
    };
  }
  throw failure(text, end, "expected =, == or != after the field");
}

function readValue(text: string, start: number, end: number): string {
  let value = "";
  let at = start;
  while (at < end) {
    const letter = text.charAt(at);
    if (letter === "=") throw failure(text, at, "'=' in a value must be escaped as \\=");
    if (letter !== "\\") {
      value += letter;
      at += 1;
      continue;
    }
    const escaped = text.charAt(at + 1);
    if (at + 1 >= end || !isEscapable(escaped)) {
      throw failure(text, at, "a backslash in a value must be escaped as \\\\; only \\ , and = can be escaped");
    }
    value += escaped;
    at += 2;
  }
  return value;
}

function isEscapable(letter: string): boolean {
  return letter === "\\" || letter === "," || letter === "=";
}

function failure(input: string, offset: number, problem: string): ParseError {
  return new ParseError({ what: "field selector", input, offset, problem });
}

/** Compares by code point, which is the order of UTF-8 bytes that Kubernetes uses. JavaScript compares by UTF-16 code unit. */
function byCodePoint(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at += 1) {
    const unitA = a.charCodeAt(at);
    const unitB = b.charCodeAt(at);
    if (unitA !== unitB) return sortKey(unitA) - sortKey(unitB);
  }
  return a.length - b.length;
}

/** Returns a sort key of a code unit. Surrogates belong to code points above U+FFFF, so they come after all other units. */
function sortKey(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x1_0000 : unit;
}
