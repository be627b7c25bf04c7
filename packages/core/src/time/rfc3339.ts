import { ParseError } from "../errors/parse-error.ts";
import { daysInMonth } from "./calendar.ts";

/** An instant of RFC 3339: seconds since the epoch and nanoseconds. */
export interface Instant {
  readonly seconds: number;
  readonly nanoseconds: number;
  /** The offset of the written time zone from UTC. */
  readonly offsetSeconds: number;
}

/** The allowed fraction of a second: any number of digits or none, or exactly six digits. */
export type FractionRule = "any" | "six digits";

/**
 * Parses a time like Go's `time.Parse` with the layouts of Kubernetes. Throws {@link ParseError} with the position.
 *
 * Go, and so the API server, accepts more than RFC 3339: an hour with one digit, a fraction after a comma, an offset of 24 hours or
 * 60 minutes. It also accepts less: no lowercase `t` and `z`, and no leap second.
 */
export function readInstant(text: string, what: string, rule: FractionRule): Instant {
  const reader = new Reader(text, what);
  const year = reader.digits(4, "a year of four digits");
  reader.sign("-");
  const month = reader.within(1, 12, "a month from 01 to 12");
  reader.sign("-");
  const dayAt = reader.at;
  const day = reader.digits(2, "a day of two digits");
  reader.sign("T");
  const hour = reader.hour();
  reader.sign(":");
  const minute = reader.within(0, 59, "minutes from 00 to 59");
  reader.sign(":");
  const second = reader.within(0, 59, "seconds from 00 to 59");
  const nanoseconds = rule === "any" ? reader.anyFraction() : reader.sixDigits();
  const offsetSeconds = reader.zone();

  if (day < 1 || day > daysInMonth(year, month)) throw reader.failure(dayAt, "a day this month has");
  const midnight = new Date(0).setUTCFullYear(year, month - 1, day) / 1000;
  return { seconds: midnight + hour * 3600 + minute * 60 + second - offsetSeconds, nanoseconds, offsetSeconds };
}

/**
 * Parses a time with its nanoseconds and offset. Throws {@link ParseError} with the position.
 *
 * @example
 * parseInstant("1970-01-01T01:00:00.5+01:00"); // { seconds: 0, nanoseconds: 500_000_000, offsetSeconds: 3600 }
 */
export function parseInstant(text: string): Instant {
  return readInstant(text, "time", "any");
}

/** Formats a time in UTC to the second, without a zone: `2026-01-02T03:04:05`. */
export function formatSeconds(seconds: number): string {
  const date = new Date(seconds * 1000);
  const year = date.getUTCFullYear();
  const sign = year < 0 ? "-" : "";
  // The part after the year has the same length for every year: -01-02T03:04:05.000Z.
  return sign + String(Math.abs(year)).padStart(4, "0") + date.toISOString().slice(-20, -5);
}

/** A cursor over the text. Every method parses one element or throws an error with its position. */
class Reader {
  readonly #text: string;
  readonly #what: string;
  at = 0;

  constructor(text: string, what: string) {
    this.#text = text;
    this.#what = what;
  }

  digits(count: number, expected: string): number {
    const text = this.#text.slice(this.at, this.at + count);
    if (text.length < count || /[^0-9]/.test(text)) throw this.failure(this.at, expected);
    this.at += count;
    return Number(text);
  }

  within(least: number, most: number, expected: string): number {
    const start = this.at;
    const value = this.digits(2, expected);
    if (value < least || value > most) throw this.failure(start, expected);
    return value;
  }

  sign(letter: string): void {
    if (this.#text[this.at] !== letter) throw this.failure(this.at, `'${letter}'`);
    this.at += 1;
  }

  hour(): number {
    const start = this.at;
    const hour = this.digits(this.#isDigit(start + 1) ? 2 : 1, "an hour from 00 to 23");
    if (hour > 23) throw this.failure(start, "an hour from 00 to 23");
    return hour;
  }

  /** Parses any number of digits and returns nanoseconds. Digits after the ninth are dropped. */
  anyFraction(): number {
    if (!this.#isPoint() || !this.#isDigit(this.at + 1)) return 0;
    const start = this.at + 1;
    this.at = start;
    while (this.#isDigit(this.at)) this.at += 1;
    return Number(this.#text.slice(start, Math.min(this.at, start + 9)).padEnd(9, "0"));
  }

  /** Parses exactly six characters and returns nanoseconds. Like Go, it accepts a sign in the first one if the number is not negative. */
  sixDigits(): number {
    const places = this.#isPoint() ? this.#text.slice(this.at + 1, this.at + 7) : "";
    if (!/^(?:[0-9]{6}|\+[0-9]{5}|-0{5})$/.test(places)) throw this.failure(this.at, "a fraction of six digits");
    this.at += 7;
    return Math.abs(Number(places)) * 1000;
  }

  /** Parses the zone and returns the offset from UTC in seconds. Nothing may follow it. */
  zone(): number {
    const [zone, sign, hours = "", minutes = ""] = /^(?:Z|([+-])([0-9]{2}):([0-9]{2}))/.exec(this.#rest()) ?? [];
    if (zone === undefined || hours > "24" || minutes > "60") {
      throw this.failure(this.at, "a zone, 'Z' or an offset such as +01:00");
    }
    this.at += zone.length;
    if (this.at < this.#text.length) throw this.failure(this.at, "nothing after the zone");
    return (sign === "-" ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60);
  }

  failure(offset: number, expected: string): ParseError {
    return new ParseError({ what: this.#what, input: this.#text, offset, problem: `expected ${expected}` });
  }

  /** Returns the next six characters, the maximum length of a zone. */
  #rest(): string {
    return this.#text.slice(this.at, this.at + 6);
  }

  #isPoint(): boolean {
    return this.#text[this.at] === "." || this.#text[this.at] === ",";
  }

  #isDigit(at: number): boolean {
    const letter = this.#text.charAt(at);
    return letter >= "0" && letter <= "9";
  }
}
