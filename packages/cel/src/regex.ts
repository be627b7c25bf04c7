import { RE2JS } from "re2js";
import { failure, type CelFailure } from "./failure.ts";

const compiled = new Map<string, RE2JS | CelFailure>();
const compiledMax = 1_000;

/**
 * A compiled regular expression in RE2 syntax, or the failure that names its mistake.
 *
 * Matching takes time linear in the text, whatever the pattern. Compiled patterns are kept for the next call.
 */
export function compilePattern(pattern: string): RE2JS | CelFailure {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  const result = compile(pattern);
  if (compiled.size >= compiledMax) compiled.clear();
  compiled.set(pattern, result);
  return result;
}

function compile(pattern: string): RE2JS | CelFailure {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    // The library leaves the empty quotation off that the API server prints.
    return failure(message.endsWith("trailing backslash at end of expression") ? `${message}: \`\`` : message);
  }
}
