import { printFloat, printInteger } from "../problem/print.ts";
import { isInt64 } from "../value/int64.ts";
import { invalid } from "../problem/problem.ts";
import type { SchemaNode } from "../structural/node.ts";
import { Findings } from "./findings.ts";
import { pathOf, type Location } from "./location.ts";

/** Type and format of a node, which determine the range of its numbers. Both are empty if the node has several types. */
export interface NumberRange {
  readonly type: string;
  readonly format: string;
}

/**
 * Checks a number against the bounds of a node, as the API server does it.
 *
 * The API server compares integers as int64 and truncates the bounds for that: a minimum of 0.5 accepts 0, and a `multipleOf` below
 * 1 rejects every integer. Bounds that do not fit the type are problems themselves.
 */
export function examineNumber(
  node: SchemaNode,
  value: number | bigint,
  location: Location,
  range: NumberRange,
): Findings {
  const findings = new Findings();
  checkRange(findings, value, "Checked", location, range);
  if (node.multipleOf !== undefined) {
    const fits = checkRange(findings, node.multipleOf, "MultipleOf", location, range);
    checkMultiple(findings, value, node.multipleOf, location, fits && isInt64(value));
  }
  if (node.minimum !== undefined) {
    const fits = checkRange(findings, node.minimum, "Minimum boundary", location, range);
    checkMinimum(findings, value, node, fits && isInt64(value), location);
  }
  if (node.maximum !== undefined) {
    const fits = checkRange(findings, node.maximum, "Maximum boundary", location, range);
    checkMaximum(findings, value, node, fits && isInt64(value), location);
  }
  findings.score += 1;
  return findings;
}

/** Reports whether a number fits the type and format. Adds a problem if not. */
function checkRange(
  findings: Findings,
  value: number | bigint,
  subject: string,
  location: Location,
  { type, format }: NumberRange,
): boolean {
  if (fitsRange(value, type, format)) return true;
  const form = format === "" ? "(default format)" : `with format ${format}`;
  findings.addGeneral(location, `${subject} value must be of type ${type} ${form} in ${location.name}`);
  return false;
}

function fitsRange(value: number | bigint, type: string, format: string): boolean {
  if (type === "integer") {
    return isInt64(value) && (format !== "int32" || (value >= -(2 ** 31) && value < 2 ** 31));
  }
  return format !== "float" || Number.isFinite(Math.fround(Number(value)));
}

function checkMinimum(
  findings: Findings,
  value: number | bigint,
  node: SchemaNode,
  asInteger: boolean,
  location: Location,
): void {
  const bound = asInteger ? toInt64(node.minimum ?? 0) : (node.minimum ?? 0);
  if (node.exclusiveMinimum ? value > bound : value >= bound) return;
  const word = node.exclusiveMinimum ? "greater than" : "greater than or equal to";
  addProblem(findings, `should be ${word} ${printBound(bound, asInteger)}`, value, asInteger, location);
}

function checkMaximum(
  findings: Findings,
  value: number | bigint,
  node: SchemaNode,
  asInteger: boolean,
  location: Location,
): void {
  const bound = asInteger ? toInt64(node.maximum ?? 0) : (node.maximum ?? 0);
  if (node.exclusiveMaximum ? value < bound : value <= bound) return;
  const word = node.exclusiveMaximum ? "less than" : "less than or equal to";
  addProblem(findings, `should be ${word} ${printBound(bound, asInteger)}`, value, asInteger, location);
}

function checkMultiple(
  findings: Findings,
  value: number | bigint,
  factor: number,
  location: Location,
  asInteger: boolean,
): void {
  const divisor = asInteger ? toInt64(factor) : factor;
  if (divisor <= 0) {
    const text = `factor MultipleOf declared for ${location.name} must be positive: ${printBound(divisor, asInteger)}`;
    findings.add(text, invalid(pathOf(location), shownAs(divisor, asInteger), text));
  } else if (asInteger ? BigInt(value) % BigInt(divisor) !== 0n : !isMultiple(Number(value), divisor)) {
    addProblem(findings, `should be a multiple of ${printBound(divisor, asInteger)}`, value, asInteger, location);
  }
}

function isMultiple(value: number, factor: number): boolean {
  return isNearInteger(factor < 1 ? (1 / factor) * value : value / factor);
}

/** Reports whether a float counts as an integer: it is one, or exceeds one by a relative error below 1e-9. */
export function isNearInteger(value: number): boolean {
  if (!Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER) return false;
  const whole = Math.trunc(value);
  if (value === whole) return true;
  // Only above: the API server compares with the value truncated towards zero, which never matches below zero.
  return whole > 0 && (value - whole) / (value + whole) < 1e-9;
}

function addProblem(
  findings: Findings,
  requirement: string,
  value: number | bigint,
  asInteger: boolean,
  location: Location,
): void {
  const text = `${location.name} in body ${requirement}`;
  findings.add(text, invalid(pathOf(location), shownAs(value, asInteger), text));
}

function shownAs(value: number | bigint, asInteger: boolean): { value: number | bigint; printed: string } {
  return { value, printed: printBound(value, asInteger) };
}

function printBound(value: number | bigint, asInteger: boolean): string {
  return asInteger ? printInteger(value) : printFloat(Number(value));
}

/** Converts a bound to int64, truncated towards zero. Values out of range become the smallest int64, as in the API server. */
function toInt64(value: number): number {
  return isInt64(Math.trunc(value)) ? Math.trunc(value) : -(2 ** 63);
}
