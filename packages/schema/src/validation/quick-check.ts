import { codePointLength, isRecord, type JsonRecord } from "@homeostat/core";
import { effectiveFormat, findTextFormat } from "../formats/registry.ts";
import { compilePattern } from "@homeostat/cel";
import { isInt64 } from "../value/int64.ts";
import { additionalSchema, type SchemaNode } from "../structural/node.ts";
import { hasKey } from "../value/record.ts";
import { isInEnum } from "./enum.ts";
import { typesOf, type Examination } from "./examine.ts";
import { examineNumber, isNearInteger } from "./numbers.ts";

/** Reports whether a value satisfies a schema node. */
export type Check = (value: unknown) => boolean;

const asValue: Examination = { as: "value" };
const nowhere = { base: "", name: "" };

/**
 * Compiles a schema node into a function that reports whether a value is valid, without the reasons.
 *
 * Nearly all objects are valid, and for them this is the only validation: it builds no paths and allocates almost nothing. It must
 * take the same decisions as `examine`, which runs only to explain a failure.
 */
export function compileCheck(node: SchemaNode): Check {
  const types = typesOf(node, asValue);
  const format = effectiveFormat(node.format, types);
  const isTyped = types.length > 0 || format !== "";
  const accepts = (type: string): boolean => !isTyped || types.includes(type);

  // A string format makes lists pass where a string is expected; see `examine`.
  const acceptsTextAndLists = format !== "" && !types.includes("number") && !types.includes("integer");
  const branches = compileBranches(node);
  const checks: Checks = {
    null: (types.length === 0 || node.nullable) && node.enum.length === 0,
    boolean: accepts("boolean") ? branches : never,
    text: accepts("string") || acceptsTextAndLists ? both(compileText(node, format), branches) : never,
    number: both(compileNumber(node, types, format, isTyped), branches),
    list: accepts("array") || acceptsTextAndLists ? both(compileList(node), branches) : never,
    object: accepts("object") ? both(compileObject(node), branches) : never,
  };
  const choices = node.enum;
  const check = byType(checks);
  return choices.length === 0 ? check : (value) => check(value) && isInEnum(value, choices);
}

interface Checks {
  readonly null: boolean;
  readonly boolean: Check;
  readonly text: (value: string) => boolean;
  readonly number: (value: number | bigint) => boolean;
  readonly list: (value: readonly unknown[]) => boolean;
  readonly object: (value: JsonRecord) => boolean;
}

function byType({ null: nothing, boolean, text, number, list, object }: Checks): Check {
  return (value) => {
    switch (typeof value) {
      case "string":
        return text(value);
      case "number":
      case "bigint":
        return number(value);
      case "boolean":
        return boolean(value);
      default:
        if (Array.isArray(value)) return list(value);
        return isRecord(value) ? object(value) : nothing;
    }
  };
}

function always(): boolean {
  return true;
}

function never(): boolean {
  return false;
}

function both<T>(first: (value: T) => boolean, second: (value: T) => boolean): (value: T) => boolean {
  if (second === always) return first;
  return first === always ? second : (value) => first(value) && second(value);
}

function compileText(node: SchemaNode, format: string): (value: string) => boolean {
  const { minLength = 0, maxLength = Infinity, pattern } = node;
  const isFormat = findTextFormat(format) ?? always;
  const matcher = pattern === "" ? undefined : compilePattern(pattern);
  // A string has at most as many code points as UTF-16 code units, and at least half as many. This avoids counting most times.
  const fitsLength = (value: string): boolean => {
    if (value.length <= maxLength && value.length >= minLength * 2) return true;
    const length = codePointLength(value);
    return length <= maxLength && length >= minLength;
  };
  const isSized: (value: string) => boolean = minLength <= 0 && maxLength === Infinity ? always : fitsLength;
  const matches = matcher === undefined ? always : (value: string): boolean => matcher.test(value);
  return both(both(isSized, matches), isFormat);
}

function compileNumber(
  node: SchemaNode,
  types: readonly string[],
  format: string,
  isTyped: boolean,
): (value: number | bigint) => boolean {
  const [only = ""] = types.length === 1 ? types : [];
  const range = only === "integer" || only === "number" ? { type: only, format } : { type: "", format: "" };
  const takesInteger = !isTyped || types.includes("integer") || types.includes("number");
  const takesFraction = !isTyped || types.includes("number");
  if (!takesInteger) return never;
  const isTypeRight = (value: number | bigint): boolean =>
    isInt64(value) || takesFraction || (types.includes("integer") && isNearInteger(Number(value)));
  const isBounded = (value: number | bigint): boolean => examineNumber(node, value, nowhere, range).isEmpty;
  const whole = compileWhole(node, range.format);
  return (value) => {
    if (whole !== undefined && typeof value === "number" && Number.isSafeInteger(value)) return whole(value);
    return isTypeRight(value) && isBounded(value);
  };
}

/** Compiles the check of integers against integer bounds, by far the most frequent case. Returns undefined for other bounds. */
function compileWhole(node: SchemaNode, format: string): ((value: number) => boolean) | undefined {
  const { minimum, maximum, multipleOf } = node;
  const bounds = [minimum, maximum, multipleOf].filter((bound) => bound !== undefined);
  if (!bounds.every((bound) => Number.isSafeInteger(bound)) || (multipleOf ?? 1) <= 0 || format === "float") {
    return undefined;
  }
  const low = Math.max(
    (minimum ?? -Infinity) + (node.exclusiveMinimum ? 1 : 0),
    format === "int32" ? -(2 ** 31) : -Infinity,
  );
  const high = Math.min(
    (maximum ?? Infinity) - (node.exclusiveMaximum ? 1 : 0),
    format === "int32" ? 2 ** 31 - 1 : Infinity,
  );
  // A bound outside of the range of the format is a problem of its own, which `examineNumber` reports.
  if (format === "int32" && bounds.some((bound) => bound < -(2 ** 31) || bound > 2 ** 31 - 1)) return undefined;
  if (multipleOf === undefined) return (value) => value >= low && value <= high;
  return (value) => value >= low && value <= high && value % multipleOf === 0;
}

function compileList(node: SchemaNode): (value: readonly unknown[]) => boolean {
  const { minItems = 0, maxItems = Infinity } = node;
  const isItem = node.items === undefined ? always : compileCheck(node.items);
  return (value) => {
    if (value.length < minItems || value.length > maxItems) return false;
    if (isItem === always) return true;
    for (const element of value) if (!isItem(element)) return false;
    return true;
  };
}

function compileObject(node: SchemaNode): (value: JsonRecord) => boolean {
  const properties = new Map([...node.properties].map(([name, property]) => [name, compileCheck(property)]));
  const others = additionalSchema(node);
  const isOther = others === undefined ? (node.additionalProperties === false ? never : always) : compileCheck(others);
  const { minProperties = 0, maxProperties = Infinity } = node;
  const required = [...new Set(node.required)];
  return (value) => {
    let count = 0;
    for (const key of Object.keys(value)) {
      const part = value[key];
      if (part === undefined) continue;
      count += 1;
      const isValid = properties.get(key) ?? isOther;
      if (!isValid(part)) return false;
    }
    if (count < minProperties || count > maxProperties) return false;
    for (const name of required) if (!hasKey(value, name)) return false;
    return true;
  };
}

function compileBranches({ anyOf, oneOf, allOf, not }: SchemaNode): Check {
  let check: Check = always;
  if (anyOf.length > 0) {
    const options = anyOf.map(compileCheck);
    check = both(check, (value) => options.some((option) => option(value)));
  }
  if (oneOf.length > 0) {
    const options = oneOf.map(compileCheck);
    check = both(check, (value) => options.filter((option) => option(value)).length === 1);
  }
  if (allOf.length > 0) {
    const parts = allOf.map(compileCheck);
    check = both(check, (value) => parts.every((part) => part(value)));
  }
  if (not !== undefined) {
    const excluded = compileCheck(not);
    check = both(check, (value) => !excluded(value));
  }
  return check;
}
