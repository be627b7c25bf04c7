import { once } from "@homeostat/core";
import { codePointAt, isAscii, widthOf } from "./utf8-text.ts";

const named = new Map([
  [0x07, "\\a"],
  [0x08, "\\b"],
  [0x09, "\\t"],
  [0x0a, "\\n"],
  [0x0b, "\\v"],
  [0x0c, "\\f"],
  [0x0d, "\\r"],
  [0x22, '\\"'],
  [0x5c, "\\\\"],
]);

/** Go decodes an unpaired surrogate of a JSON document as this character. */
const replacement = 0xfffd;

/**
 * Quotes a string as Go's `strconv.Quote` does in messages of Kubernetes: characters that are not printable are escaped.
 *
 * Printability follows the Unicode tables of the JavaScript engine, which may differ slightly from those of the Go version that
 * Kubernetes is built with.
 *
 * The API server quotes values of any length, so users can have megabytes quoted: the result is written as code units, because one
 * string concatenation per character would take ten times as long.
 */
export function quote(text: string): string {
  if (!/[^ !#-[\]-~]/.test(text)) return `"${text}"`;
  const writer = new UnitWriter();
  writer.put(0x22);
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) {
      writer.putAll(asciiEscapes[unit] ?? [unit]);
      continue;
    }
    let point = unit;
    if (unit >= 0xd800 && unit <= 0xdfff) {
      const next = unit < 0xdc00 ? text.charCodeAt(at + 1) : 0;
      const isPair = next >= 0xdc00 && next <= 0xdfff;
      point = isPair ? 0x10000 + ((unit - 0xd800) << 10) + (next - 0xdc00) : replacement;
      if (isPair) at += 1;
    }
    if (isVisible(point)) writer.putPoint(point);
    else writer.putEscape(point);
  }
  writer.put(0x22);
  return writer.finish();
}

/** Quotes a byte string, which may be cut in the middle of a character. */
export function quoteBytes(bytes: string): string {
  if (isAscii(bytes)) return quote(bytes);
  let quoted = '"';
  for (let at = 0; at < bytes.length;) {
    const point = codePointAt(bytes, at);
    if (point === undefined) {
      quoted += `\\x${hex(bytes.charCodeAt(at), 2)}`;
      at += 1;
    } else {
      quoted += escape(point);
      at += widthOf(point);
    }
  }
  return `${quoted}"`;
}

function escape(point: number): string {
  const short = named.get(point);
  if (short !== undefined) return short;
  if (point === 0x20 || isVisible(point)) return String.fromCodePoint(point);
  if (point < 0x20 || point === 0x7f) return `\\x${hex(point, 2)}`;
  return point < 0x10000 ? `\\u${hex(point, 4)}` : `\\U${hex(point, 8)}`;
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, "0");
}

// Compiled on first use: compiling these Unicode classes is slow.
const visible = once(() => /^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u);
const allVisible = once(() => /^[\p{L}\p{M}\p{N}\p{P}\p{S}]*$/u);
const anyVisible = once(() => /[\p{L}\p{M}\p{N}\p{P}\p{S}]/u);

const pageSize = 0x100;
/** One entry per 256 code points, filled on first use: 1 for a visible character. A regular expression per character is slow. */
const pages: (Uint8Array | undefined)[] = [];

function isVisible(point: number): boolean {
  const page = (pages[point >> 8] ??= pageAt(point & ~(pageSize - 1)));
  return page[point & (pageSize - 1)] === 1;
}

function pageAt(first: number): Uint8Array {
  const page = new Uint8Array(pageSize);
  const points = Array.from(page, (_, offset) => first + offset);
  const text = String.fromCodePoint(...points);
  if (allVisible().test(text)) return page.fill(1);
  return anyVisible().test(text) ? page.map((_, at) => Number(visible().test(String.fromCodePoint(first + at)))) : page;
}

function unitsOf(text: string): readonly number[] {
  return Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));
}

/** The code units that represent each ASCII character. */
const asciiEscapes: readonly (readonly number[])[] = Array.from({ length: 0x80 }, (_, point) => unitsOf(escape(point)));

const isLittleEndian = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;
const decoder = new TextDecoder(isLittleEndian ? "utf-16le" : "utf-16be", { fatal: true, ignoreBOM: true });

const [backslash = 0, smallU = 0, capitalU = 0, ...digits] = unitsOf("\\uU0123456789abcdef");
const chunkLength = 8192;
/** The longest representation of a character: `\U0010ffff`. */
const longest = 10;

/** A writer of a long string, one UTF-16 code unit after the other. */
class UnitWriter {
  private readonly units = new Uint16Array(chunkLength + longest);
  private length = 0;
  private text = "";

  put(unit: number): void {
    this.units[this.length] = unit;
    this.length += 1;
  }

  /** Adds the representation of one character. A chunk ends only between characters, so no surrogate pair is cut. */
  putAll(units: readonly number[]): void {
    if (this.length >= chunkLength) this.flush();
    for (const unit of units) this.put(unit);
  }

  putPoint(point: number): void {
    if (this.length >= chunkLength) this.flush();
    if (point < 0x10000) {
      this.put(point);
      return;
    }
    this.put(0xd800 + ((point - 0x10000) >> 10));
    this.put(0xdc00 + ((point - 0x10000) & 0x3ff));
  }

  /** Adds the escape of a character above U+007F, such as a no-break space. */
  putEscape(point: number): void {
    if (this.length >= chunkLength) this.flush();
    this.put(backslash);
    this.put(point < 0x10000 ? smallU : capitalU);
    for (let shift = point < 0x10000 ? 12 : 28; shift >= 0; shift -= 4) this.put(digits[(point >> shift) & 0xf] ?? 0);
  }

  finish(): string {
    this.flush();
    return this.text;
  }

  private flush(): void {
    this.text += decoder.decode(this.units.subarray(0, this.length));
    this.length = 0;
  }
}
