import { CelFailure, noSuchOverload } from "../failure.ts";
import { defineOverload, type FunctionDeclaration } from "../library.ts";
import { celPattern } from "../pattern/cel-pattern.ts";
import { boolType, stringType } from "../types/type.ts";
import { operatorMismatch } from "./mismatch.ts";

/** `contains`, `startsWith`, `endsWith` and `matches`. */
export const textFunctions = (): readonly FunctionDeclaration[] => [
  test("contains", "contains_string", (text, part) => text.includes(part)),
  test("endsWith", "ends_with_string", (text, part) => text.endsWith(part)),
  test("startsWith", "starts_with_string", (text, part) => text.startsWith(part)),
  {
    name: "matches",
    overloads: [
      defineOverload({
        id: "matches",
        params: [stringType, stringType],
        result: boolType,
        patternArgument: 1,
        implement: matches,
      }),
      defineOverload({
        id: "matches_string",
        member: true,
        params: [stringType, stringType],
        result: boolType,
        patternArgument: 1,
        implement: matches,
      }),
    ],
    otherwise: (text) => operatorMismatch("matches", text, () => false),
  },
];

function test(name: string, id: string, holds: (text: string, part: string) => boolean): FunctionDeclaration {
  return {
    name,
    overloads: [
      defineOverload({ id, member: true, params: [stringType, stringType], result: boolType, implement: holds }),
    ],
    otherwise: noSuchOverload,
  };
}

function matches(text: string, pattern: string): boolean | CelFailure {
  const compiled = celPattern(pattern);
  return compiled instanceof CelFailure ? compiled : compiled.test(text);
}
