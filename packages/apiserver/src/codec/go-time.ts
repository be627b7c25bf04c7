import { daysInMonth, parseInstant } from "@homeostat/core";
import { DecodeError } from "./decode-error.ts";

const timeLayout = "2006-01-02T15:04:05Z07:00";
const microTimeLayout = "2006-01-02T15:04:05.000000Z07:00";

/** Seconds since 1970 and additional nanoseconds. */
export interface GoTime {
  readonly seconds: number;
  readonly nanoseconds: number;
}

/** Parses a `metav1.Time`, or a `metav1.MicroTime`, which has exactly six fraction digits, with the errors of Go. */
export function readGoTime(text: string, isMicro: boolean): GoTime {
  checkTime(text, isMicro);
  // The text is valid here; parseInstant accepts the same texts as Go.
  return parseInstant(text);
}

/** Fails at the first mismatch with the layout, as Go's `time.Parse` does. */
function checkTime(text: string, isMicro: boolean): void {
  const layout = isMicro ? microTimeLayout : timeLayout;
  const cursor = new Cursor(text, layout);
  const year = cursor.digits(4, "2006");
  cursor.literal("-");
  const month = cursor.digits(2, "01");
  if (month < 1 || month > 12) cursor.outOfRange("month");
  cursor.literal("-");
  const day = cursor.digits(2, "02");
  cursor.literal("T");
  const hour = cursor.digits(2, "15", 1);
  if (hour > 23) cursor.outOfRange("hour");
  cursor.literal(":");
  const minute = cursor.digits(2, "04");
  if (minute > 59) cursor.outOfRange("minute");
  cursor.literal(":");
  const second = cursor.digits(2, "05");
  if (second > 59) cursor.outOfRange("second");
  if (isMicro) cursor.sixDigits();
  else cursor.anyFraction();
  cursor.zone();
  cursor.end();
  if (day < 1 || day > daysInMonth(year, month)) cursor.outOfRange("day");
}

class Cursor {
  readonly #text: string;
  readonly #layout: string;
  #at = 0;

  constructor(text: string, layout: string) {
    this.#text = text;
    this.#layout = layout;
  }

  digits(count: number, element: string, least: number = count): number {
    const found = /^[0-9]*/.exec(this.#text.slice(this.#at, this.#at + count))?.[0] ?? "";
    if (found.length < least) throw this.#mismatch(element);
    this.#at += found.length;
    return Number(found);
  }

  literal(character: string): void {
    if (this.#text[this.#at] !== character) throw this.#mismatch(character);
    this.#at += 1;
  }

  /** Go accepts a fraction even where the layout has none. */
  anyFraction(): void {
    const found = /^[.,][0-9]+/.exec(this.#text.slice(this.#at))?.[0];
    if (found !== undefined) this.#at += found.length;
  }

  sixDigits(): void {
    if (!/^[.,][0-9]{6}/.test(this.#text.slice(this.#at))) throw this.#mismatch(".000000");
    this.#at += 7;
  }

  zone(): void {
    const rest = this.#text.slice(this.#at);
    if (rest.startsWith("Z")) {
      this.#at += 1;
      return;
    }
    const found = /^[+-]([0-9]{2}):([0-9]{2})/.exec(rest);
    if (found === null) throw this.#mismatch("Z07:00");
    if (Number(found[1]) > 24) this.outOfRange("time zone offset hour");
    if (Number(found[2]) > 60) this.outOfRange("time zone offset minute");
    this.#at += 6;
  }

  end(): void {
    const rest = this.#text.slice(this.#at);
    if (rest !== "") throw new DecodeError(`parsing time ${quoteBytes(this.#text)}: extra text: ${quoteBytes(rest)}`);
  }

  outOfRange(what: string): never {
    throw new DecodeError(`parsing time ${quoteBytes(this.#text)}: ${what} out of range`);
  }

  #mismatch(element: string): DecodeError {
    const rest = this.#text.slice(this.#at);
    const words = `parsing time ${quoteBytes(this.#text)} as ${quoteBytes(this.#layout)}`;
    return new DecodeError(`${words}: cannot parse ${quoteBytes(rest)} as ${quoteBytes(element)}`);
  }
}

/** Quotes a string as Go's `time` package does: non-ASCII characters as bytes. */
function quoteBytes(text: string): string {
  const inner = text
    .replace(/["\\]/g, "\\$&")
    .replace(/[^ -\u007f]/gu, (letter) =>
      [...Buffer.from(letter)].map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join(""),
    );
  return `"${inner}"`;
}
