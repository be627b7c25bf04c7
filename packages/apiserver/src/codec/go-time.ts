import { daysInMonth, parseInstant } from "@homeostat/core";
import { DecodeError } from "./decode-error.ts";

const timeLayout = "2006-01-02T15:04:05Z07:00";
const microTimeLayout = "2006-01-02T15:04:05.000000Z07:00";

/** Seconds since 1970 and the nanoseconds after them. */
export interface GoTime {
  readonly seconds: number;
  readonly nanoseconds: number;
}

/** Reads a `metav1.Time`, or a `metav1.MicroTime` with exactly six digits of fraction, with the errors of Go. */
export function readGoTime(text: string, isMicro: boolean): GoTime {
  checkTime(text, isMicro);
  // Checked above with Go's errors; the other reader accepts the same texts.
  return parseInstant(text);
}

/** Fails as Go's `time.Parse` does with the first thing that is not as the layout wants it. */
function checkTime(text: string, isMicro: boolean): void {
  const layout = isMicro ? microTimeLayout : timeLayout;
  const cursor = new Cursor(text, layout);
  const year = cursor.digits(4, "2006");
  cursor.sign("-");
  const month = cursor.digits(2, "01");
  if (month < 1 || month > 12) cursor.outOfRange("month");
  cursor.sign("-");
  const day = cursor.digits(2, "02");
  cursor.sign("T");
  const hour = cursor.digits(2, "15", 1);
  if (hour > 23) cursor.outOfRange("hour");
  cursor.sign(":");
  const minute = cursor.digits(2, "04");
  if (minute > 59) cursor.outOfRange("minute");
  cursor.sign(":");
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

  sign(mark: string): void {
    if (this.#text[this.#at] !== mark) throw this.#mismatch(mark);
    this.#at += 1;
  }

  /** A fraction may stand where the layout has none. */
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

/** A text as the messages of Go's package `time` quote it: whatever is not ASCII as bytes. */
function quoteBytes(text: string): string {
  const inner = text
    .replace(/["\\]/g, "\\$&")
    .replace(/[^ -\u007f]/gu, (letter) =>
      [...Buffer.from(letter)].map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join(""),
    );
  return `"${inner}"`;
}
