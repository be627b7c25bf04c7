import { parseQuantity } from "./parse-quantity.ts";
import type { Quantity } from "./quantity.ts";

/**
 * Parses a quantity of an object: a string, which may have surrounding white space, or a number.
 *
 * Manifests contain both `cpu: 2` and `cpu: "2"`, and the API server accepts both. Throws `ParseError`.
 */
export function quantityFromJSON(value: string | number): Quantity {
  return parseQuantity(typeof value === "number" ? String(value) : withoutBlanks(value));
}

// The white space of Go's unicode.IsSpace. String.trim() would also remove U+FEFF, and keep U+0085.
const blanks = new Set("\t\n\v\f\r \u0085\u00a0\u1680\u2028\u2029\u202f\u205f\u3000");
for (let code = 0x2000; code <= 0x200a; code += 1) blanks.add(String.fromCharCode(code));

function withoutBlanks(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && blanks.has(text.charAt(start))) start += 1;
  while (end > start && blanks.has(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}
