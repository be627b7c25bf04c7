import { printJson } from "../problem/print.ts";
import { isInt64 } from "../value/int64.ts";
import type { Json } from "../value/json.ts";
import { equalJson } from "../value/equal.ts";

/**
 * Reports whether a value is in an enum, with the quirks of the API server.
 *
 * `null` never is, even if it is listed. The API server converts the value to the Go type of the listed one before it compares: 1.5
 * equals a listed 1, and an integer equals the listed string that consists of the character with that code point.
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

/** Returns an enum value as the message lists it, before quoting. */
export function printEnum(choice: Json): string {
  return typeof choice === "string" ? choice : printJson(choice);
}
