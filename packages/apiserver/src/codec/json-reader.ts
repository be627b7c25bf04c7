// Reads JSON text token by token, with the errors of Go's scanner. One long class, because it is a state machine.

import { quote } from "@homeostat/cel";
import { DecodeError } from "./decode-error.ts";
import { byteAt, withoutStrayBytes } from "./go-text.ts";

/** The type of a JSON value, known from its first character. */
export type JsonStart = "object" | "array" | "string" | "number" | "bool" | "null";

/** Maximum nesting of bodies. kube-apiserver allows ten times as much, but no real object comes close to this limit. */
export const jsonDepthMax = 1000;

const quoteMark = 0x22;
const backslash = 0x5c;
const digit0 = 0x30;
const digit9 = 0x39;

/** A cursor over a JSON text. Each method consumes one token or throws a {@link DecodeError} in the words of Go. */
export class JsonReader {
  readonly text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.text = text;
  }

  /** Offset of the next token, after a call of {@link start}. */
  get at(): number {
    return this.#at;
  }

  /** Moves the cursor to an offset at which a value begins. */
  rewind(at: number): void {
    this.#at = at;
  }

  /** Returns the type of the next value and moves to its first character. */
  start(): JsonStart {
    const unit = this.#next();
    switch (unit) {
      case 0x7b:
        return "object";
      case 0x5b:
        return "array";
      case quoteMark:
        return "string";
      case 0x74:
      case 0x66:
        return "bool";
      case 0x6e:
        return "null";
      default:
        if (unit === 0x2d || (unit >= digit0 && unit <= digit9)) return "number";
        throw this.#unexpected("looking for beginning of value");
    }
  }

  /** Enters an object or array at its opening bracket; {@link nextKey} and {@link nextElement} leave it at its end. */
  enter(): void {
    this.#depth += 1;
    if (this.#depth > jsonDepthMax) throw this.#unexpected("exceeded max depth");
    this.#at += 1;
  }

  /** Returns the next key of the object, or undefined at its end. The value follows. */
  nextKey(isFirst: boolean): string | undefined {
    let unit = this.#next();
    if (unit === 0x7d) {
      // Only reached directly after the opening brace or a value: after a comma, a key is required below.
      this.#at += 1;
      this.#depth -= 1;
      return undefined;
    }
    if (!isFirst) {
      if (unit !== 0x2c) throw this.#unexpected("after object key:value pair");
      this.#at += 1;
      unit = this.#next();
    }
    if (unit !== quoteMark) throw this.#unexpected("looking for beginning of object key string");
    const key = this.string();
    if (this.#next() !== 0x3a) throw this.#unexpected("after object key");
    this.#at += 1;
    return key;
  }

  /** Reports whether another element of the array follows. */
  nextElement(isFirst: boolean): boolean {
    const unit = this.#next();
    if (unit === 0x5d) {
      this.#at += 1;
      this.#depth -= 1;
      return false;
    }
    if (isFirst) return true;
    if (unit !== 0x2c) throw this.#unexpected("after array element");
    this.#at += 1;
    return true;
  }

  /** Consumes a string, starting at its quote. */
  string(): string {
    const { text } = this;
    const from = this.#at + 1;
    let i = from;
    for (; i < text.length; i += 1) {
      const unit = text.charCodeAt(i);
      if (unit === quoteMark) {
        this.#at = i + 1;
        return withoutLoneSurrogates(text.slice(from, i));
      }
      if (unit === backslash || unit < 0x20) break;
    }
    return this.#stringWithEscapes(from, i);
  }

  #stringWithEscapes(from: number, firstEscape: number): string {
    const { text } = this;
    const parts: string[] = [];
    let start = from;
    let i = firstEscape;
    for (;;) {
      if (i >= text.length) throw endOfInput();
      const unit = text.charCodeAt(i);
      if (unit === quoteMark) {
        parts.push(text.slice(start, i));
        this.#at = i + 1;
        return withoutLoneSurrogates(parts.join(""));
      }
      if (unit < 0x20) throw this.#unexpectedAt(i, "in string literal");
      if (unit !== backslash) {
        i += 1;
        continue;
      }
      parts.push(text.slice(start, i));
      const [plain, length] = this.#escape(i + 1);
      parts.push(plain);
      i += 1 + length;
      start = i;
    }
  }

  #escape(at: number): [string, number] {
    const letter = this.text[at] ?? "";
    const plain = escapes.get(letter);
    if (plain !== undefined) return [plain, 1];
    if (letter !== "u") throw this.#unexpectedAt(at, "in string escape code");
    const unit = this.#hex(at + 1);
    if (unit < 0xd800 || unit > 0xdfff) return [String.fromCharCode(unit), 5];
    // A high surrogate is only valid with an escaped low surrogate after it.
    if (unit < 0xdc00 && this.text.startsWith("\\u", at + 5)) {
      const low = this.#hex(at + 7);
      if (low >= 0xdc00 && low <= 0xdfff) return [String.fromCharCode(unit, low), 11];
    }
    return ["\ufffd", 5];
  }

  #hex(at: number): number {
    let value = 0;
    for (let i = at; i < at + 4; i += 1) {
      const digit = Number.parseInt(this.text[i] ?? "", 16);
      if (Number.isNaN(digit)) throw this.#unexpectedAt(i, "in \\u hexadecimal character escape");
      value = value * 16 + digit;
    }
    return value;
  }

  /** Consumes a number and returns its text. */
  number(): string {
    const { text } = this;
    const from = this.#at;
    let i = from;
    if (text.charCodeAt(i) === 0x2d) i += 1;
    if (!isDigit(text, i)) throw this.#unexpectedAt(i, "in numeric literal");
    if (text.charCodeAt(i) === digit0) i += 1;
    else i = pastDigits(text, i);
    if (text.charCodeAt(i) === 0x2e) {
      i += 1;
      if (!isDigit(text, i)) throw this.#unexpectedAt(i, "after decimal point in numeric literal");
      i = pastDigits(text, i);
    }
    const mark = text.charCodeAt(i);
    if (mark === 0x65 || mark === 0x45) {
      i += 1;
      const sign = text.charCodeAt(i);
      if (sign === 0x2b || sign === 0x2d) i += 1;
      if (!isDigit(text, i)) throw this.#unexpectedAt(i, "in exponent of numeric literal");
      i = pastDigits(text, i);
    }
    this.#at = i;
    return text.slice(from, i);
  }

  /** Consumes `true`, `false` or `null`. */
  literal(): boolean | null {
    const first = this.text.charCodeAt(this.#at);
    const word = first === 0x74 ? "true" : first === 0x66 ? "false" : "null";
    for (let i = 1; i < word.length; i += 1) {
      if (this.text[this.#at + i] === word[i]) continue;
      throw this.#unexpectedAt(this.#at + i, `in literal ${word} (expecting '${word[i] ?? ""}')`);
    }
    this.#at += word.length;
    return word === "null" ? null : word === "true";
  }

  /** Skips the next value, checking only its syntax. */
  skip(): void {
    switch (this.start()) {
      case "object":
        this.enter();
        for (let isFirst = true; this.nextKey(isFirst) !== undefined; isFirst = false) this.skip();
        break;
      case "array":
        this.enter();
        for (let isFirst = true; this.nextElement(isFirst); isFirst = false) this.skip();
        break;
      case "string":
        this.string();
        break;
      case "number":
        this.number();
        break;
      default:
        this.literal();
    }
  }

  /** Throws unless only white space follows. */
  end(): void {
    while (isSpace(this.text.charCodeAt(this.#at))) this.#at += 1;
    if (this.#at < this.text.length) throw this.#unexpected("after top-level value");
  }

  /** Moves to the next character that is not white space and returns it. */
  #next(): number {
    const { text } = this;
    let unit = text.charCodeAt(this.#at);
    while (isSpace(unit)) {
      this.#at += 1;
      unit = text.charCodeAt(this.#at);
    }
    if (this.#at >= text.length) throw endOfInput();
    return unit;
  }

  #unexpected(where: string): DecodeError {
    return this.#unexpectedAt(this.#at, where);
  }

  #unexpectedAt(at: number, where: string): DecodeError {
    // At the end of the text, Go feeds a space to its scanner and reports that.
    const letter = at >= this.text.length ? " " : String.fromCharCode(byteAt(this.text, at));
    const shown = letter === "'" ? "\\'" : letter === '"' ? '"' : quote(letter).slice(1, -1);
    return new DecodeError(`invalid character '${shown}' ${where}`);
  }
}

function endOfInput(): DecodeError {
  return new DecodeError("unexpected end of JSON input");
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ["\\", "\\"],
  ["/", "/"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
]);

/** Replaces lone surrogates. Strings hardly ever have any, and the test is cheaper than a replacement. */
function withoutLoneSurrogates(text: string): string {
  return hasSurrogate.test(text) ? withoutStrayBytes(text) : text;
}

const hasSurrogate = /[\ud800-\udfff]/;

function isSpace(unit: number): boolean {
  return unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09;
}

function isDigit(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= digit0 && unit <= digit9;
}

function pastDigits(text: string, from: number): number {
  let at = from;
  while (isDigit(text, at)) at += 1;
  return at;
}
