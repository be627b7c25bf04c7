// Small pieces of TypeScript text.

import type { Description } from "./description.ts";

const widthMax = 120;

/** Formats a doc comment with line breaks; empty without text. */
export function docComment({ text, deprecated }: Description, indent = ""): string {
  const width = widthMax - indent.length - 3;
  const parts = [wrap(safe(text), width)];
  if (deprecated !== undefined) parts.push(wrap(`@deprecated ${safe(deprecated)}`, width));
  return comment(parts, indent);
}

/** Formats a doc comment written by this generator, optionally with a list. */
export function ownComment(text: string, { list = [] }: { readonly list?: readonly string[] } = {}): string {
  // Each entry of a list goes on below its own beginning.
  const entries = list.flatMap((entry) =>
    wrap(safe(entry), widthMax - 5).map((line, i) => (i === 0 ? line : `  ${line}`)),
  );
  return comment([wrap(safe(text), widthMax - 3), entries], "");
}

/** Formats a comment of paragraphs, on one line if it fits. */
function comment(paragraphs: readonly (readonly string[])[], indent: string): string {
  const lines = paragraphs
    .filter((lines) => lines.length > 0)
    .flatMap((lines, i) => (i === 0 ? lines : ["", ...lines]));
  const [only] = lines;
  if (only === undefined) return "";
  if (lines.length === 1 && indent.length + only.length + 7 <= widthMax) return `${indent}/** ${only} */\n`;
  return [`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`.trimEnd()), `${indent} */\n`].join("\n");
}

/** Text that cannot end a comment, and in which no word reads as a tag of the comment. */
function safe(text: string): string {
  return text.replace(/\*\//g, "*\\/").replace(/(^|\s)@/g, "$1\\@");
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < width) lines[lines.length - 1] = `${last} ${word}`;
    else if (word !== "") lines.push(word);
  }
  return lines;
}

/** Formats a property name, quoted if necessary. */
export function key(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quote(name);
}

/** Formats a string literal. */
export function quote(text: string): string {
  return JSON.stringify(text);
}

/** Formats a union of string literals, on one line if it fits after `prefix`, otherwise one value per line. */
export function union(values: readonly string[], prefix: string): string {
  const line = values.map(quote).join(" | ");
  if (prefix.length + line.length < widthMax) return line;
  return values.map((value) => `\n  | ${quote(value)}`).join("");
}

/** Formats an array literal of strings. */
export function stringArray(values: readonly string[]): string {
  return `[${values.map(quote).join(", ")}]`;
}

/** Indents the lines of code by its braces and square brackets, two spaces each. Those in comments and in strings with double quotes do not count. */
export function indent(code: string): string {
  let depth = 0;
  const lines = code.split("\n").map((line) => {
    const brackets = line.replace(/"(?:[^"\\]|\\.)*"|\/\/.*|^\s*\/?\*.*/g, "").match(/[{}[\]]/g) ?? [];
    let lowest = 0;
    let balance = 0;
    for (const bracket of brackets) {
      balance += "{[".includes(bracket) ? 1 : -1;
      lowest = Math.min(lowest, balance);
    }
    const text = `${"  ".repeat(Math.max(0, depth + lowest))}${line.trim()}`;
    depth += balance;
    return text.trimEnd();
  });
  return lines.join("\n");
}
