// Small pieces of TypeScript text.

import type { Description } from "./description.ts";

const widthMax = 120;

/** A doc comment with its line breaks, or nothing when there is nothing to say. */
export function docComment({ text, deprecated }: Description, indent = ""): string {
  const width = widthMax - indent.length - 3;
  const parts = [wrap(safe(text), width)];
  if (deprecated !== undefined) parts.push(wrap(`@deprecated ${safe(deprecated)}`, width));
  return comment(parts, indent);
}

/** A doc comment of our own words, with a list below if there is one. */
export function ownComment(text: string, { list = [] }: { readonly list?: readonly string[] } = {}): string {
  // Each entry of a list goes on below its own beginning.
  const entries = list.flatMap((entry) =>
    wrap(safe(entry), widthMax - 5).map((line, i) => (i === 0 ? line : `  ${line}`)),
  );
  return comment([wrap(safe(text), widthMax - 3), entries], "");
}

/** A comment of paragraphs, on one line if it can be. */
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

/** A property name, quoted where it has to be. */
export function key(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quote(name);
}

/** A string literal. */
export function quote(text: string): string {
  return JSON.stringify(text);
}

/** A union of string literals, on one line if it fits after `prefix`, else one value per line. */
export function union(values: readonly string[], prefix: string): string {
  const line = values.map(quote).join(" | ");
  if (prefix.length + line.length < widthMax) return line;
  return values.map((value) => `\n  | ${quote(value)}`).join("");
}

/** An array literal of strings. */
export function stringArray(values: readonly string[]): string {
  return `[${values.map(quote).join(", ")}]`;
}
