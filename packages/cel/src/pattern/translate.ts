import { codePointMax, type CharSet } from "./char-set.ts";
import type { PatternNode } from "./subset.ts";

/** Translates a pattern of the subset to a JavaScript RegExp with the same meaning. */
export function translate(node: PatternNode): RegExp {
  return new RegExp(write(node), "u");
}

function write(node: PatternNode): string {
  switch (node.kind) {
    case "begin":
      return "^";
    case "end":
      // Without the multiline flag this is the very end of the input, as in RE2 and unlike Perl.
      return "$";
    case "chars":
      return writeSet(node.set);
    case "sequence":
      return node.parts.map(write).join("");
    case "choice":
      return `(?:${node.options.map(write).join("|")})`;
    case "repeat":
      return `(?:${write(node.part)})${writeBounds(node.min, node.max)}`;
  }
}

function writeBounds(min: number, max: number): string {
  if (max === Infinity) return min === 0 ? "*" : min === 1 ? "+" : `{${min},}`;
  return min === 0 && max === 1 ? "?" : `{${min},${max}}`;
}

function writeSet(set: CharSet): string {
  // An empty class matches nothing; a range over all code points matches any character, including line ends.
  if (set.length === 0) return "[]";
  if (set.length === 1 && set[0]?.[0] === 0 && set[0][1] === codePointMax) return "[^]";
  const ranges = set.map(([first, last]) =>
    first === last ? writeCode(first) : `${writeCode(first)}-${writeCode(last)}`,
  );
  return `[${ranges.join("")}]`;
}

function writeCode(code: number): string {
  const character = String.fromCodePoint(code);
  return /^[A-Za-z0-9]$/.test(character) ? character : `\\u{${code.toString(16)}}`;
}
