import { isList, isRecord } from "./record.ts";

/**
 * Returns JSON with sorted keys and without spaces, for hashes and comparisons. The order of keys does not matter; absent and undefined
 * properties are the same.
 *
 * Recurses, so limit the depth of values from outside first.
 *
 * @example
 * canonicalJson({ b: [1, undefined], a: undefined }); // '{"b":[1,null]}'
 */
export function canonicalJson(value: unknown): string {
  if (isList(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (!isRecord(value)) return JSON.stringify(value) ?? "null";
  const fields = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .sort((a, b) => (a < b ? -1 : 1))
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key])}`);
  return `{${fields.join(",")}}`;
}
