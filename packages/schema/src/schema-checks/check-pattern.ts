import { compilePattern } from "@homeostat/cel";
import { ParseError } from "@homeostat/core";
import { invalid, type Problem } from "../problem/problem.ts";
import type { SchemaNode } from "../structural/node.ts";

/** Checks that the pattern of a node is a valid RE2 regular expression. */
export function checkPattern({ pattern }: SchemaNode, path: string): Problem[] {
  if (pattern === "") return [];
  try {
    compilePattern(pattern);
    return [];
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    const detail = `must be a valid regular expression, but isn't: error parsing regexp: ${error.problem}`;
    return [invalid(`${path}.pattern`, { value: pattern }, detail)];
  }
}
