import { isRecord, ParseError } from "@homeostat/core";
import { fieldElement, indexElement, keyElement, type PathElement, valueElement } from "./path-element.ts";

const what = "a path element of a field set";

/**
 * Parses a path element of a `FieldsV1`: `f:spec`, `k:{"name":"a"}`, `v:"x"`, `i:3`.
 *
 * Returns undefined for unknown kinds: they belong to a later version of the format and are skipped.
 *
 * @throws ParseError when the text is of a known kind but malformed.
 */
export function parseElement(text: string): PathElement | undefined {
  if (text.length < 2) throw new ParseError({ what, input: text, offset: 0, problem: "must be 2 characters long" });
  if (text.charAt(1) !== ":") throw new ParseError({ what, input: text, offset: 1, problem: "missing colon" });
  const rest = text.slice(2);
  switch (text.charAt(0)) {
    case "f":
      return fieldElement(rest);
    case "k":
      return keyFrom(text, rest);
    case "v":
      return { ...valueElement(parseJson(text, rest)), isRead: true };
    case "i":
      if (!/^[+-]?\d{1,15}$/.test(rest)) {
        throw new ParseError({ what, input: text, offset: 2, problem: "the list index is not an integer" });
      }
      return indexElement(Number(rest));
    default:
      return undefined;
  }
}

function keyFrom(text: string, rest: string): PathElement {
  const value = parseJson(text, rest);
  if (!isRecord(value)) throw new ParseError({ what, input: text, offset: 2, problem: "the key is not a JSON object" });
  return { ...keyElement(Object.keys(value).map((name) => ({ name, value: value[name] }))), isRead: true };
}

/** Real keys are flat. Comparing a deeply nested one would exhaust the stack. */
const nestingMax = 64;

function parseJson(text: string, rest: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(rest);
  } catch (cause) {
    throw new ParseError({ what, input: text, offset: 2, problem: "is not followed by JSON" }, { cause });
  }
  if (nestingOf(rest) > nestingMax) {
    throw new ParseError({ what, input: text, offset: 2, problem: `is nested more than ${nestingMax} deep` });
  }
  return value;
}

/** Returns an upper bound of the nesting of a JSON text: brackets inside strings count too. */
function nestingOf(json: string): number {
  let depth = 0;
  let deepest = 0;
  for (const unit of json) {
    if (unit === "{" || unit === "[") deepest = Math.max(deepest, (depth += 1));
    else if (unit === "}" || unit === "]") depth -= 1;
  }
  return deepest;
}
