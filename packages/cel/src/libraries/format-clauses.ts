import { quote } from "./go-quote.ts";
import { Malformed } from "./malformed.ts";
import { fromByteText, toByteText } from "./utf8-text.ts";

/** The letters that may end a clause. */
export type FormatVerb = "s" | "d" | "f" | "e" | "b" | "x" | "X" | "o";

/** A formatting clause `%…` of a format string. */
export interface FormatClause {
  readonly verb: FormatVerb;
  /** The number after the dot of `%.3f`. */
  readonly precision: number | undefined;
}

/** Formats the arguments of a format string. */
export interface ClauseFiller {
  /** Number of arguments. */
  readonly count: number;
  /** True to report a `%` at the end before the missing argument. */
  readonly reportsEndFirst: boolean;
  /** Formats the argument at an index below `count`. */
  fill(clause: FormatClause, index: number): string | Malformed;
}

/**
 * Fills the clauses of a format string from left to right. Stops at the first problem.
 *
 * Both the evaluation of `format` and the compile-time check use this function, so that they always agree.
 */
export function fillFormat(format: string, filler: ClauseFiller): { text: string; used: number } | Malformed {
  const bytes = toByteText(format);
  let text = "";
  let used = 0;
  for (let at = 0; at < bytes.length;) {
    const percent = bytes.indexOf("%", at);
    if (percent < 0) return { text: text + fromByteText(bytes.slice(at)), used };
    text += fromByteText(bytes.slice(at, percent));
    if (bytes.charAt(percent + 1) === "%") {
      text += "%";
      at = percent + 2;
      continue;
    }
    const endsHere = percent + 1 === bytes.length;
    if (used >= filler.count && !(endsHere && filler.reportsEndFirst)) {
      return new Malformed(`index ${used} out of range`);
    }
    if (endsHere) return new Malformed("unexpected end of string");
    const clause = readClause(bytes, percent + 1);
    if (clause instanceof Malformed) return new Malformed(`could not parse formatting clause: ${clause.problem}`);
    const filled = filler.fill(clause, used);
    if (filled instanceof Malformed) return new Malformed(`error during formatting: ${filled.problem}`);
    text += filled;
    at = clause.end;
    used += 1;
  }
  return { text, used };
}

function readClause(bytes: string, start: number): (FormatClause & { end: number }) | Malformed {
  let at = start;
  let precision: number | undefined;
  if (bytes.charAt(start) === ".") {
    at += 1;
    while (isDigit(bytes.charAt(at))) at += 1;
    const digits = bytes.slice(start + 1, at);
    const problem = at === bytes.length ? "could not find end of precision specifier" : problemOfPrecision(digits);
    if (problem !== undefined) return new Malformed(`error while parsing precision: ${problem}`);
    precision = Number(digits);
  }
  const verb = bytes.charAt(at);
  if (!isVerb(verb)) return new Malformed(`unrecognized formatting clause "${verb}"`);
  return { verb, precision, end: at + 1 };
}

function problemOfPrecision(digits: string): string | undefined {
  const problem = digits === "" ? "invalid syntax" : isInt64(digits) ? undefined : "value out of range";
  if (problem === undefined) return undefined;
  return `error while converting precision to integer: strconv.Atoi: parsing ${quote(digits)}: ${problem}`;
}

function isInt64(digits: string): boolean {
  const significant = digits.replace(/^0+/, "");
  return significant.length < 19 || (significant.length === 19 && BigInt(significant) < 1n << 63n);
}

function isDigit(character: string): boolean {
  return character >= "0" && character <= "9";
}

function isVerb(character: string): character is FormatVerb {
  return character.length === 1 && "sdfebxXo".includes(character);
}
