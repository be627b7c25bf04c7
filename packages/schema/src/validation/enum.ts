import { isInt64, printJson } from "../problem/print.ts";
import type { Json } from "../structural/schema.ts";
import { equalJson } from "../value/equal.ts";

/**
 * Whether a value is one of an enumeration.
 *
 * `null` never is, not even when it is listed. A value is converted to the type of the listed one first: 1.5 counts as
 * a listed 1, and a whole number as the listed text of that one character. The API server does so.
 */
export function isInEnum(value: unknown, choices: readonly Json[]): boolean {
  return value !== null && choices.some((choice) => isSame(value, choice));
}

function isSame(value: unknown, choice: Json): boolean {
  if (typeof value === "number" || typeof value === "bigint") {
    if (typeof choice === "string") return isInt64(value) && choice === characterOf(Number(value));
    if (isInt64(choice) && !isInt64(value)) return Math.trunc(Number(value)) === choice;
  }
  return choice !== null && equalJson(value, choice);
}

function characterOf(code: number): string {
  const isCharacter = code >= 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  return isCharacter ? String.fromCodePoint(code) : "\ufffd";
}

/** A listed value as the message about an enumeration shows it, before it is quoted. */
export function printEnum(choice: Json): string {
  return typeof choice === "string" ? choice : printJson(choice);
}
