// Validates the parts of a version besides its schema: subresources, printer columns, deprecation warning.

import { quote } from "@homeostat/cel";
import { utf8Length } from "@homeostat/core";
import type { Field } from "../validation/field.ts";
import { invalidJson } from "./problems.ts";

const columnTypes = ["boolean", "date", "integer", "number", "string"];
const columnFormats = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];

/** Validates an entry of `additionalPrinterColumns`. */
export function checkColumn(column: Field): void {
  if (column.at("name").text === "") column.at("name").required();
  const [type, format] = [column.at("type"), column.at("format")];
  const types = `must be one of ${columnTypes.join(",")}`;
  if (type.text === "") type.required(types);
  else if (!columnTypes.includes(type.text)) type.invalid(types);
  if (format.text !== "" && !columnFormats.includes(format.text)) {
    format.invalid(`must be one of ${columnFormats.join(",")}`);
  }
  const path = column.at("jsonPath").as(`${column.path}.JSONPath`);
  if (path.text === "") path.required();
  else checkSimplePath(path);
}

/** Validates the `subresources` of a version, or those that all versions share. */
export function checkSubresources(subresources: Field): void {
  const scale = subresources.at("scale");
  if (!scale.isSet) return;
  for (const [name, root] of [
    ["specReplicasPath", ".spec"],
    ["statusReplicasPath", ".status"],
  ] as const) {
    const path = scale.at(name);
    if (path.text === "") path.required();
    else if (checkSimplePath(path) && !path.text.startsWith(`${root}.`)) {
      path.invalid(`should be a json path under ${root}`);
    }
  }
  const selector = scale.at("labelSelectorPath");
  if (selector.text === "" || !checkSimplePath(selector)) return;
  if (!selector.text.startsWith(".spec.") && !selector.text.startsWith(".status.")) {
    invalidJson(selector, "should be a json path under either .spec or .status", selector.text);
  }
}

function checkSimplePath(path: Field): boolean {
  if (path.text.startsWith(".")) return true;
  path.invalid("must be a simple json path starting with .");
  return false;
}

const warningBytesMax = 256;

/** Validates the deprecation warning of a version. */
export function checkDeprecationWarning(version: Field): void {
  const warning = version.at("deprecationWarning");
  if (!warning.isSet) return;
  const addProblem = (detail: string): void => invalidJson(warning, detail, warning.text);
  if (version.at("deprecated").value !== true) {
    addProblem("can only be set for deprecated versions");
    return;
  }
  if (utf8Length(warning.text) > warningBytesMax) addProblem(`must be <= ${warningBytesMax} characters long`);
  if (warning.text === "") addProblem("must not be an empty string");
  const at = firstUnprintable(warning.text);
  if (at === undefined) return;
  addProblem(`must only contain printable UTF-8 characters; non-printable character found at index ${at}`);
}

/** Returns the byte offset of the first character that is not printable. */
function firstUnprintable(text: string): number | undefined {
  let at = 0;
  for (const character of text) {
    // A character is not printable if Go's `%q` escapes it.
    if (character !== '"' && character !== "\\" && quote(character).startsWith('"\\')) return at;
    at += utf8Length(character);
  }
  return undefined;
}
