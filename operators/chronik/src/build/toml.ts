// Writes TOML 1.0. Equal tables give equal bytes, whatever the order of their keys.

/** A value of a TOML document. */
export type TomlValue = string | number | boolean | readonly TomlValue[] | TomlTable;

export interface TomlTable {
  readonly [key: string]: TomlValue;
}

/** Returns a document: keys in order, first the values of a table, then its tables. */
export function toToml(table: TomlTable): string {
  const blocks = [...tableBlocks(table, [])];
  return `${blocks.join("\n\n")}\n`;
}

function* tableBlocks(table: TomlTable, path: readonly string[]): Iterable<string> {
  const entries = Object.entries(table).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const values = entries
    .filter(([, value]) => !isTable(value))
    .map(([key, value]) => `${keyText(key)} = ${valueText(value)}`);
  const header = path.length === 0 ? [] : [`[${path.map(keyText).join(".")}]`];
  const tables = entries.flatMap(([key, value]) => (isTable(value) ? [[key, value] as const] : []));
  // A table that only contains tables needs no header of its own.
  if (values.length > 0 || (path.length > 0 && tables.length === 0)) yield [...header, ...values].join("\n");
  for (const [key, value] of tables) yield* tableBlocks(value, [...path, key]);
}

function isTable(value: TomlValue): value is TomlTable {
  return typeof value === "object" && !Array.isArray(value);
}

function keyText(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : stringText(key);
}

function valueText(value: TomlValue): string {
  if (typeof value === "string") return stringText(value);
  if (typeof value === "number") return numberText(value);
  if (typeof value === "boolean") return String(value);
  if (isTable(value)) {
    const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
    return `{ ${entries.map(([key, each]) => `${keyText(key)} = ${valueText(each)}`).join(", ")} }`;
  }
  return `[${value.map(valueText).join(", ")}]`;
}

function numberText(value: number): string {
  if (Number.isSafeInteger(value)) return String(value);
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
  const text = String(value);
  return /[.e]/.test(text) ? text.replace("e+", "e") : `${text}.0`;
}

const escapes: Readonly<Record<string, string>> = {
  "\b": String.raw`\b`,
  "\t": String.raw`\t`,
  "\n": String.raw`\n`,
  "\f": String.raw`\f`,
  "\r": String.raw`\r`,
  '"': String.raw`\"`,
  "\\": "\\\\",
};

/** Returns a basic string. Unpaired surrogates cannot be written as UTF-8 and become U+FFFD. */
function stringText(text: string): string {
  const escaped = text
    .replaceAll(/\p{Cs}/gu, "\ufffd")
    .replaceAll(/["\\]|\p{Cc}/gu, (each: string) => escapes[each] ?? unicodeEscape(each));
  return `"${escaped}"`;
}

function unicodeEscape(character: string): string {
  const digits = (character.codePointAt(0) ?? 0).toString(16).toUpperCase();
  return `\\u${digits.padStart(4, "0")}`;
}
