import { isInt64, printFloat, printInteger } from "../problem/print.ts";
import { invalid } from "../problem/problem.ts";
import type { SchemaNode } from "../structural/node.ts";
import { Findings } from "./findings.ts";
import { pathOf, type Place } from "./place.ts";

/** What the type and format of a node say about the range of its numbers. Empty when the node has several types. */
export interface NumberRange {
  readonly type: string;
  readonly format: string;
}

/**
 * Checks a number against the bounds of a node, as the API server does it.
 *
 * It compares whole numbers as 64-bit integers and cuts the bounds to integers for that; so a minimum of 0.5 lets 0
 * pass, and a `multipleOf` below 1 fails every whole number. Bounds that do not fit the type are complaints themselves.
 */
export function examineNumber(node: SchemaNode, value: number | bigint, place: Place, range: NumberRange): Findings {
  const findings = new Findings();
  checkRange(findings, value, "Checked", place, range);
  if (node.multipleOf !== undefined) {
    const fits = checkRange(findings, node.multipleOf, "MultipleOf", place, range);
    checkMultiple(findings, value, node.multipleOf, place, fits && isInt64(value));
  }
  if (node.minimum !== undefined) {
    const fits = checkRange(findings, node.minimum, "Minimum boundary", place, range);
    checkMinimum(findings, value, node, fits && isInt64(value), place);
  }
  if (node.maximum !== undefined) {
    const fits = checkRange(findings, node.maximum, "Maximum boundary", place, range);
    checkMaximum(findings, value, node, fits && isInt64(value), place);
  }
  findings.score += 1;
  return findings;
}

/** Whether a number fits the type and format. If not, that is a finding. */
function checkRange(
  findings: Findings,
  value: number | bigint,
  subject: string,
  place: Place,
  { type, format }: NumberRange,
): boolean {
  if (fitsRange(value, type, format)) return true;
  const form = format === "" ? "(default format)" : `with format ${format}`;
  findings.addGeneral(place, `${subject} value must be of type ${type} ${form} in ${place.name}`);
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
  place: Place,
): void {
  const bound = asInteger ? toInt64(node.minimum ?? 0) : (node.minimum ?? 0);
  if (node.exclusiveMinimum ? value > bound : value >= bound) return;
  const word = node.exclusiveMinimum ? "greater than" : "greater than or equal to";
  complain(findings, `should be ${word} ${printBound(bound, asInteger)}`, value, asInteger, place);
}

function checkMaximum(
  findings: Findings,
  value: number | bigint,
  node: SchemaNode,
  asInteger: boolean,
  place: Place,
): void {
  const bound = asInteger ? toInt64(node.maximum ?? 0) : (node.maximum ?? 0);
  if (node.exclusiveMaximum ? value < bound : value <= bound) return;
  const word = node.exclusiveMaximum ? "less than" : "less than or equal to";
  complain(findings, `should be ${word} ${printBound(bound, asInteger)}`, value, asInteger, place);
}

function checkMultiple(
  findings: Findings,
  value: number | bigint,
  factor: number,
  place: Place,
  asInteger: boolean,
): void {
  const divisor = asInteger ? toInt64(factor) : factor;
  if (divisor <= 0) {
    const text = `factor MultipleOf declared for ${place.name} must be positive: ${printBound(divisor, asInteger)}`;
    findings.add(text, invalid(pathOf(place), shownAs(divisor, asInteger), text));
  } else if (asInteger ? BigInt(value) % BigInt(divisor) !== 0n : !isMultiple(Number(value), divisor)) {
    complain(findings, `should be a multiple of ${printBound(divisor, asInteger)}`, value, asInteger, place);
  }
}

function isMultiple(value: number, factor: number): boolean {
  return isNearInteger(factor < 1 ? (1 / factor) * value : value / factor);
}

/** Whether a float counts as a whole number: it is one, or a hair's breadth above one. */
export function isNearInteger(value: number): boolean {
  if (!Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER) return false;
  const whole = Math.trunc(value);
  if (value === whole) return true;
  // Only above: the comparison is with the next whole number towards zero, and breaks down below zero.
  return whole > 0 && (value - whole) / (value + whole) < 1e-9;
}

function complain(findings: Findings, wish: string, value: number | bigint, asInteger: boolean, place: Place): void {
  const text = `${place.name} in body ${wish}`;
  findings.add(text, invalid(pathOf(place), shownAs(value, asInteger), text));
}

function shownAs(value: number | bigint, asInteger: boolean): { value: number | bigint; printed: string } {
  return { value, printed: printBound(value, asInteger) };
}

function printBound(value: number | bigint, asInteger: boolean): string {
  return asInteger ? printInteger(value) : printFloat(Number(value));
}

/** A bound as a 64-bit integer, cut towards zero. What does not fit becomes the smallest, as on the API server. */
function toInt64(value: number): number {
  return isInt64(Math.trunc(value)) ? Math.trunc(value) : -(2 ** 63);
}
