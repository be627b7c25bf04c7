import { CelFailure } from "../failure.ts";
import { celPattern } from "../pattern/cel-pattern.ts";
import type { CallExpr, Expr, ListExpr, MapExpr } from "../syntax/ast.ts";
import type { Problem } from "../syntax/source.ts";
import { partsOf } from "../syntax/walk.ts";
import { parseDuration } from "../values/duration-text.ts";
import { parseTimestamp } from "../values/timestamp-text.ts";
import { formatType } from "../types/format.ts";
import { sameType, type CelType } from "../types/type.ts";
import { timestampNanosMax, timestampNanosMin } from "../values/timestamp.ts";
import type { CelValue } from "../values/value.ts";
import type { CheckedExpr } from "./checked.ts";

/** Options of {@link validate}. */
export interface ValidateOptions {
  /** True to allow literals of mixed types everywhere. */
  readonly mixedLiterals: boolean;
  /** Functions whose arguments may contain literals of mixed types. */
  readonly mixedLiteralsIn: ReadonlySet<string>;
}

/** Returns problems of a type-checked expression: invalid literal arguments, and literals of mixed types. */
export function validate(checked: CheckedExpr, options: ValidateOptions): Problem[] {
  const problems: Problem[] = [];
  const pending: { expr: Expr; mixed: boolean }[] = [{ expr: checked.expr, mixed: options.mixedLiterals }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { expr, mixed } = next;
    if (expr.kind === "call") problems.push(...callProblems(expr, checked));
    if (expr.kind === "list" && !mixed) problems.push(...listProblems(expr, checked));
    if (expr.kind === "map" && !mixed) problems.push(...mapProblems(expr, checked));
    const mixedBelow = mixed || (expr.kind === "call" && options.mixedLiteralsIn.has(expr.name));
    for (const part of partsOf(expr)) pending.push({ expr: part, mixed: mixedBelow });
  }
  return problems;
}

const literalChecks: ReadonlyMap<string, (literal: CelValue) => boolean> = new Map([
  ["duration", (literal: CelValue) => typeof literal === "string" && parseDuration(literal) !== undefined],
  ["timestamp", isTimestamp],
  ["matches", (literal: CelValue) => typeof literal === "string" && !(celPattern(literal) instanceof CelFailure)],
]);

function isTimestamp(literal: CelValue): boolean {
  const seconds = typeof literal === "bigint" ? literal * 1_000_000_000n : undefined;
  const nanos = seconds ?? (typeof literal === "string" ? parseTimestamp(literal)?.nanos : undefined);
  return nanos !== undefined && nanos >= timestampNanosMin && nanos <= timestampNanosMax;
}

function callProblems(expr: CallExpr, checked: CheckedExpr): Problem[] {
  const [first] = expr.args;
  const valid = first?.kind !== "literal" || (literalChecks.get(expr.name)?.(first.value) ?? true);
  const problems = valid ? [] : [{ offset: first.offset, message: `invalid ${expr.name} argument` }];
  const reference = checked.referenceOf(expr);
  const overload =
    reference?.kind === "function" && reference.overloads.length === 1 ? reference.overloads[0] : undefined;
  const args = expr.target === undefined || overload?.member !== true ? expr.args : [expr.target, ...expr.args];
  const found = overload?.check?.(args, (part) => checked.typeOf(part)) ?? [];
  return [...problems, ...found.map(({ at = expr, message }) => ({ offset: at.offset, message }))];
}

function listProblems(expr: ListExpr, checked: CheckedExpr): Problem[] {
  const types = expr.elements.map((element, index) => contentType(checked, element, expr.optional.has(index)));
  const [first] = types;
  if (first === undefined) return [];
  const wrong = types.findIndex((type) => !sameType(first, type));
  const [element, type] = [expr.elements[wrong], types[wrong]];
  return element === undefined || type === undefined ? [] : [mismatch(element, first, type)];
}

function mapProblems(expr: MapExpr, checked: CheckedExpr): Problem[] {
  const [first] = expr.entries;
  if (first === undefined) return [];
  const keyType = checked.typeOf(first.key);
  const valueType = contentType(checked, first.value, first.optional);
  return expr.entries.flatMap(({ key, value, optional }) => {
    const found = contentType(checked, value, optional);
    return [
      ...(sameType(keyType, checked.typeOf(key)) ? [] : [mismatch(key, keyType, checked.typeOf(key))]),
      ...(sameType(valueType, found) ? [] : [mismatch(value, valueType, found)]),
    ];
  });
}

function contentType(checked: CheckedExpr, expr: Expr, optional: boolean): CelType {
  const type = checked.typeOf(expr);
  return optional && type.kind === "optional" ? type.element : type;
}

function mismatch(at: Expr, expected: CelType, found: CelType): Problem {
  return { offset: at.offset, message: `expected type '${formatType(expected)}' but found '${formatType(found)}'` };
}
