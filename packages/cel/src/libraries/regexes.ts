import { CelFailure, failure, noSuchOverload } from "../failure.ts";
import { defineLibrary, defineOverload, type Library } from "../library.ts";
import { celPattern } from "../pattern/cel-pattern.ts";
import { intType, listType, stringType } from "../types/type.ts";
import { listOf } from "../values/collections.ts";
import { typeNameOf } from "../values/type-of.ts";
import type { CelList, CelValue } from "../values/value.ts";
import { searchingCost } from "./call-costs.ts";

/** The library of regular expressions in RE2 syntax: `find` and `findAll`. */
export const regexLibrary: Library = defineLibrary({
  name: "kubernetes.regex",
  functions: () => [
    {
      name: "find",
      overloads: [
        defineOverload({
          id: "string_find_string",
          member: true,
          params: [stringType, stringType],
          result: stringType,
          patternArgument: 1,
          implement: find,
        }),
      ],
      otherwise: wrongArguments("find"),
      cost: searchingCost,
    },
    {
      name: "findAll",
      overloads: [
        defineOverload({
          id: "string_find_all_string",
          member: true,
          params: [stringType, stringType],
          result: listType(stringType),
          patternArgument: 1,
          implement: (text, pattern) => findAll(text, pattern, -1n),
        }),
        defineOverload({
          id: "string_find_all_string_int",
          member: true,
          params: [stringType, stringType, intType],
          result: listType(stringType),
          patternArgument: 1,
          implement: findAll,
        }),
      ],
      otherwise: wrongArguments("findAll"),
      cost: searchingCost,
    },
  ],
});

/** Returns the failure of a call with wrong arguments. Kubernetes precompiles string patterns; then the failure has no function name. */
function wrongArguments(name: string): (...args: CelValue[]) => CelFailure {
  return (...args) => {
    if (typeof args[1] === "string") return noSuchOverload();
    return failure(`no such overload: ${name}(${args.map(typeNameOf).join(", ")})`);
  };
}

function find(text: string, pattern: string): string | CelFailure {
  const compiled = celPattern(pattern);
  if (compiled instanceof CelFailure) return illegal(compiled);
  const matcher = compiled.re2.matcher(text);
  return matcher.find() ? (matcher.group() ?? "") : "";
}

/** Returns the matches from left to right, at most `limit` unless that is negative. Skips an empty match right after another. */
function findAll(text: string, pattern: string, limit: bigint): CelList | CelFailure {
  const compiled = celPattern(pattern);
  if (compiled instanceof CelFailure) return illegal(compiled);
  const matcher = compiled.re2.matcher(text);
  const found: string[] = [];
  let previousEnd = -1;
  const countMax = limit < 0n ? Infinity : Number(limit);
  while (found.length < countMax && matcher.find()) {
    const [start, end] = [matcher.start(), matcher.end()];
    if (start !== end || start !== previousEnd) found.push(text.slice(start, end));
    previousEnd = end;
  }
  return listOf(found);
}

function illegal({ message }: CelFailure): CelFailure {
  return failure(`Illegal regex: ${message}`);
}
