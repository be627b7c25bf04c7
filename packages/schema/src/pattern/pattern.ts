import { ParseError } from "@homeostat/core";
import { RE2JS, RE2JSException } from "re2js";
import { isLinear } from "./ambiguity.ts";
import { parseSubset } from "./subset.ts";
import { translate } from "./translate.ts";

/** A compiled pattern. */
export interface Pattern {
  readonly source: string;
  /** Whether the pattern matches somewhere in a text. Takes time linear to the length of the text. */
  test(text: string): boolean;
}

/** The longest pattern, in UTF-16 code units. The API server has no such limit. */
export const patternLengthMax = 4_096;

const nestingMax = 1_000;
const cacheMax = 1_000;
/** Beyond this the backtracking stack of the JavaScript engine may run full. */
const regExpTextMax = 65_536;

const cache = new Map<string, Pattern>();

/**
 * Compiles a pattern as the API server does: RE2 syntax, matched anywhere in the text unless anchored.
 *
 * @throws ParseError when RE2 would reject it (look-around, back-references, repetition over 1,000) or it is too long.
 */
export function compilePattern(source: string): Pattern {
  const known = cache.get(source);
  if (known !== undefined) return known;
  const pattern = compile(source);
  // The oldest goes first: a bound on memory, not a promise about what stays.
  if (cache.size >= cacheMax) cache.delete(cache.keys().next().value ?? "");
  cache.set(source, pattern);
  return pattern;
}

function compile(source: string): Pattern {
  const re2 = compileRe2(source);
  const subset = parseSubset(source);
  // A translation is several times faster, and takes the same decisions wherever it is made.
  if (subset === undefined || !isLinear(subset)) return { source, test: (text) => re2.test(text) };
  const regExp = translate(subset);
  return { source, test: (text) => (text.length > regExpTextMax ? re2.test(text) : regExp.test(text)) };
}

function compileRe2(source: string): RE2JS {
  if (source.length > patternLengthMax) throw refuse(source, `longer than ${patternLengthMax} characters`, "");
  // Counted before the parser does it, which takes its time on such a pattern.
  if (source.length > nestingMax && nestingOf(source) > nestingMax) {
    throw refuse(source, `expression nests too deeply: \`${source}\``, "");
  }
  try {
    return RE2JS.compile(source);
  } catch (error) {
    if (!(error instanceof RE2JSException) && !(error instanceof RangeError)) throw error;
    const problem = error instanceof RangeError ? "expression too large" : completed(error.message, source);
    throw refuse(source, problem, /`([^]*)`$/.exec(problem)?.[1] ?? "", { cause: error });
  }
}

/** The message without its common beginning, and with the expression that the API server always names. */
function completed(message: string, source: string): string {
  const problem = message.replace(/^error parsing regexp: /, "");
  if (problem.endsWith("`")) return problem;
  return `${problem}: \`${problem.startsWith("expression") ? source : ""}\``;
}

function refuse(source: string, problem: string, culprit: string, options?: ErrorOptions): ParseError {
  const offset = Math.max(0, source.indexOf(culprit));
  return new ParseError({ what: "pattern", input: source, offset, problem }, options);
}

/** How deep parentheses nest, at least: those in classes and after backslashes do not count. */
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
