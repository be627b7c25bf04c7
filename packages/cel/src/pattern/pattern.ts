import { ParseError } from "@homeostat/core";
import { RE2JS, RE2JSException } from "re2js";
import { isLinear } from "./ambiguity.ts";
import { parseSubset } from "./subset.ts";
import { translate } from "./translate.ts";

/** A compiled pattern. */
export interface Pattern {
  readonly source: string;
  /** Reports whether the pattern matches some part of a string. Takes time linear in the length of the string. */
  test(text: string): boolean;
}

/** A compiled pattern that can also return its matches, by RE2. */
export interface SearchPattern extends Pattern {
  readonly re2: RE2JS;
}

/** The problem of an invalid pattern, with the message of the API server. */
export class PatternProblem {
  readonly problem: string;
  /** The invalid part of the pattern; empty for the whole pattern. */
  readonly invalidPart: string;
  readonly cause: unknown;

  constructor(problem: string, invalidPart: string, cause?: unknown) {
    this.problem = problem;
    this.invalidPart = invalidPart;
    this.cause = cause;
  }
}

/** Maximum length of a pattern of a schema, in UTF-16 code units. The API server has no such limit. */
export const patternLengthMax = 4_096;

const nestingMax = 1_000;
const cacheMax = 1_000;
/** Maximum length of strings for RegExp. The backtracking stack of the JavaScript engine may overflow on longer ones. */
const regExpTextMax = 65_536;

const cache = new Map<string, SearchPattern | PatternProblem>();

/**
 * Compiles a pattern as the API server does: RE2 syntax, not anchored unless the pattern says so.
 *
 * @throws ParseError if RE2 rejects it (look-around, back-references, repetition over 1,000) or it is too long.
 */
export function compilePattern(source: string): Pattern {
  const pattern =
    source.length > patternLengthMax
      ? new PatternProblem(`longer than ${patternLengthMax} characters`, "")
      : readPattern(source);
  if (!(pattern instanceof PatternProblem)) return pattern;
  const { problem, invalidPart, cause } = pattern;
  const offset = Math.max(0, source.indexOf(invalidPart));
  throw new ParseError({ what: "pattern", input: source, offset, problem }, cause === undefined ? {} : { cause });
}

/** Compiles a pattern of any length, or returns its problem. Results are cached. */
export function readPattern(source: string): SearchPattern | PatternProblem {
  const known = cache.get(source);
  if (known !== undefined) return known;
  const pattern = compile(source);
  // Evict the oldest entry to bound the memory.
  if (cache.size >= cacheMax) cache.delete(cache.keys().next().value ?? "");
  cache.set(source, pattern);
  return pattern;
}

function compile(source: string): SearchPattern | PatternProblem {
  const re2 = compileRe2(source);
  if (re2 instanceof PatternProblem) return re2;
  const subset = source.length > patternLengthMax ? undefined : parseSubset(source);
  // RegExp is several times faster than RE2. Translate only patterns that mean the same in both and match in linear time.
  if (subset === undefined || !isLinear(subset)) return { source, re2, test: (text) => re2.test(text) };
  const regExp = translate(subset);
  return { source, re2, test: (text) => (text.length > regExpTextMax ? re2.test(text) : regExp.test(text)) };
}

function compileRe2(source: string): RE2JS | PatternProblem {
  // Check the nesting here, because the parser is slow on deeply nested patterns.
  if (source.length > nestingMax && nestingOf(source) > nestingMax) {
    return new PatternProblem(`expression nests too deeply: \`${source}\``, "");
  }
  try {
    return RE2JS.compile(source);
  } catch (error) {
    if (!(error instanceof RE2JSException) && !(error instanceof RangeError)) throw error;
    const problem = error instanceof RangeError ? "expression too large" : completed(error.message, source);
    return new PatternProblem(problem, /`([^]*)`$/.exec(problem)?.[1] ?? "", error);
  }
}

/** Returns the message without its common prefix, and with the pattern, which the API server always includes. */
function completed(message: string, source: string): string {
  const problem = message.replace(/^error parsing regexp: /, "");
  if (problem.endsWith("`")) return problem;
  return `${problem}: \`${problem.startsWith("expression") ? source : ""}\``;
}

/** Returns a lower bound of the nesting depth of parentheses, ignoring those in classes and after backslashes. */
function nestingOf(source: string): number {
  let depth = 0;
  let deepest = 0;
  let inClass = false;
  for (let at = 0; at < source.length; at++) {
    const character = source.charAt(at);
    if (character === "\\") at += 1;
    else if (inClass) inClass = character !== "]";
    else if (character === "[") inClass = true;
    else if (character === "(") deepest = Math.max(deepest, (depth += 1));
    else if (character === ")") depth -= 1;
  }
  return deepest;
}
