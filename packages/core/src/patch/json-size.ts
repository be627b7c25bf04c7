import { isList } from "../value/record.ts";

/**
 * Estimates the size of a value as JSON in bytes. Stops counting soon after `enough`.
 *
 * Exact except for escaped characters, and for numbers, booleans and null, which count as eight bytes.
 */
export function jsonSize(value: unknown, enough: number): number {
  let size = 0;
  const waiting: unknown[] = [value];
  while (waiting.length > 0 && size <= enough) {
    const next = waiting.pop();
    if (typeof next === "string") size += textSize(next);
    else if (typeof next !== "object" || next === null) size += 8;
    else if (isList(next)) {
      size += 2 + next.length;
      if (size <= enough) for (const element of next) waiting.push(element);
    } else {
      const entries = Object.entries(next);
      size += 2 + entries.length * 2;
      for (const [key, child] of entries) {
        size += textSize(key);
        waiting.push(child);
      }
    }
  }
  return size;
}

function textSize(text: string): number {
  let size = text.length + 2;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    // A surrogate is half of a character with four bytes in UTF-8.
    if (unit > 0x7f) size += unit > 0x7ff && (unit < 0xd800 || unit > 0xdfff) ? 2 : 1;
  }
  return size;
}
