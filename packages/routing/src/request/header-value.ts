import type { HeaderSource } from "./request-view.ts";

const tab = 0x09;
const space = 0x20;

/** Reports whether a code unit is optional whitespace of HTTP: a space or a tab. */
export function isOws(code: number): boolean {
  return code === space || code === tab;
}

/** Returns a part of a text without spaces and tabs at both ends. Unlike `trim`, it keeps all other whitespace. */
export function sliceTrimmed(text: string, start: number, end: number): string {
  let from = start;
  let to = end;
  while (from < to && isOws(text.charCodeAt(from))) from += 1;
  while (to > from && isOws(text.charCodeAt(to - 1))) to -= 1;
  return text.slice(from, to);
}

/**
 * Returns the value of a field that has one value. Of a repeated field, it is the first: fields may arrive joined by commas,
 * so a value ends at the first comma.
 */
export function firstValue(headers: HeaderSource, name: string): string | undefined {
  const values = headers.get(name);
  const value = typeof values === "string" || values === undefined ? values : values[0];
  if (value === undefined) return undefined;
  const comma = value.indexOf(",");
  return sliceTrimmed(value, 0, comma === -1 ? value.length : comma);
}

/** Returns the values of a field in order of arrival, joined by `separator`. */
export function joinedValue(headers: HeaderSource, name: string, separator: string): string | undefined {
  const values = headers.get(name);
  if (typeof values === "string" || values === undefined) return values;
  return values.length === 0 ? undefined : values.join(separator);
}
