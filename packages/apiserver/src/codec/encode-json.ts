/**
 * Serializes a value to JSON as a Go server does: `bigint` as an integer, and `<`, `>` and `&` escaped.
 *
 * Properties that are `undefined` are omitted.
 */
export function encodeJson(value: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (error) {
    // JSON.stringify refuses bigints. They are rare, so only values that have one are serialized by the slower code
    // below.
    if (!(error instanceof TypeError)) throw error;
    const parts: string[] = [];
    write(value, parts);
    text = parts.join("");
  }
  if (text === undefined) return "null";
  return special.test(text) ? text.replace(specials, escape) : text;
}

const special = /[<>&\u2028\u2029]/;
const specials = /[<>&\u2028\u2029]/g;

function escape(letter: string): string {
  return `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

function write(value: unknown, parts: string[]): void {
  if (typeof value === "bigint") parts.push(value.toString());
  else if (Array.isArray(value)) {
    parts.push("[");
    value.forEach((element: unknown, index) => {
      if (index > 0) parts.push(",");
      write(element, parts);
    });
    parts.push("]");
  } else if (typeof value === "object" && value !== null) {
    parts.push("{");
    let isFirst = true;
    for (const [key, member] of Object.entries(value) as [string, unknown][]) {
      if (member === undefined) continue;
      parts.push(isFirst ? "" : ",", JSON.stringify(key), ":");
      write(member, parts);
      isFirst = false;
    }
    parts.push("}");
  } else parts.push(JSON.stringify(value) ?? "null");
}
