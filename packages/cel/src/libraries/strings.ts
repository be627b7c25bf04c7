import { CelFailure, failure } from "../failure.ts";
import { defineLibrary, defineOverload, type FunctionDeclaration, type Library } from "../library.ts";
import { dynType, intType, listType, stringType } from "../types/type.ts";
import { elementsOf, listOf } from "../values/collections.ts";
import { formatValue } from "../values/format.ts";
import type { CelList } from "../values/value.ts";
import { orFailure } from "./or-failure.ts";
import { copyingCost, passingCost } from "./call-costs.ts";
import { characterAt, indexOfText, lastIndexOfText, substring } from "./code-points.ts";
import { checkFormatCall } from "./format-check.ts";
import { fillFormat } from "./format-clauses.ts";
import { fillClause } from "./format-values.ts";
import { Malformed } from "./malformed.ts";
import { joiningCost, replacingCost, splittingCost } from "./string-costs.ts";
import { lowerAscii, quoteForCel, replaceText, splitText, trimSpace, upperAscii } from "./text-editing.ts";

const text = stringType;
const texts = listType(stringType);

/** The strings extension of cel-go, version 2: `split`, `join`, `replace`, `substring`, `format` and others. */
export const stringLibrary: Library = defineLibrary({
  name: "cel.lib.ext.strings",
  mixedLiteralsIn: ["format"],
  functions: () => [
    {
      name: "charAt",
      overloads: [
        defineOverload({
          id: "string_char_at_int",
          member: true,
          params: [text, intType],
          result: text,
          implement: (subject, index) => orFailure(characterAt(subject, index)),
        }),
      ],
    },
    {
      name: "indexOf",
      overloads: [
        defineOverload({
          id: "string_index_of_string",
          member: true,
          params: [text, text],
          result: intType,
          implement: (subject, part) => orFailure(indexOfText(subject, part, 0n)),
        }),
        defineOverload({
          id: "string_index_of_string_int",
          member: true,
          params: [text, text, intType],
          result: intType,
          implement: (subject, part, offset) => orFailure(indexOfText(subject, part, offset)),
        }),
      ],
      cost: passingCost,
    },
    {
      name: "lastIndexOf",
      overloads: [
        defineOverload({
          id: "string_last_index_of_string",
          member: true,
          params: [text, text],
          result: intType,
          implement: (subject, part) => orFailure(lastIndexOfText(subject, part)),
        }),
        defineOverload({
          id: "string_last_index_of_string_int",
          member: true,
          params: [text, text, intType],
          result: intType,
          implement: (subject, part, offset) => orFailure(lastIndexOfText(subject, part, offset)),
        }),
      ],
      cost: passingCost,
    },
    {
      name: "substring",
      overloads: [
        defineOverload({
          id: "string_substring_int",
          member: true,
          params: [text, intType],
          result: text,
          implement: (subject, start) => orFailure(substring(subject, start)),
        }),
        defineOverload({
          id: "string_substring_int_int",
          member: true,
          params: [text, intType, intType],
          result: text,
          implement: (subject, start, end) => orFailure(substring(subject, start, end)),
        }),
      ],
      cost: copyingCost,
    },
    editing("lowerAscii", "string_lower_ascii", lowerAscii),
    editing("upperAscii", "string_upper_ascii", upperAscii),
    editing("trim", "string_trim", trimSpace),
    {
      name: "replace",
      overloads: [
        defineOverload({
          id: "string_replace_string_string",
          member: true,
          params: [text, text, text],
          result: text,
          implement: (subject, part, replacement) => replaceText(subject, part, replacement, -1n),
        }),
        defineOverload({
          id: "string_replace_string_string_int",
          member: true,
          params: [text, text, text, intType],
          result: text,
          implement: replaceText,
        }),
      ],
      cost: replacingCost,
    },
    {
      name: "split",
      overloads: [
        defineOverload({
          id: "string_split_string",
          member: true,
          params: [text, text],
          result: texts,
          implement: (subject, separator) => listOf(splitText(subject, separator, -1n)),
        }),
        defineOverload({
          id: "string_split_string_int",
          member: true,
          params: [text, text, intType],
          result: texts,
          implement: (subject, separator, count) => listOf(splitText(subject, separator, count)),
        }),
      ],
      cost: splittingCost,
    },
    {
      name: "join",
      overloads: [
        defineOverload({
          id: "list_join",
          member: true,
          params: [texts],
          result: text,
          implement: (list) => join(list, ""),
        }),
        defineOverload({
          id: "list_join_string",
          member: true,
          params: [texts, text],
          result: text,
          implement: join,
        }),
      ],
      cost: joiningCost,
    },
    {
      name: "strings.quote",
      overloads: [defineOverload({ id: "strings_quote", params: [text], result: text, implement: quoteForCel })],
    },
    {
      name: "format",
      overloads: [
        defineOverload({
          id: "string_format",
          member: true,
          params: [text, listType(dynType)],
          result: text,
          implement: format,
          check: checkFormatCall,
        }),
      ],
    },
  ],
});

function editing(name: string, id: string, edit: (subject: string) => string): FunctionDeclaration {
  return {
    name,
    overloads: [defineOverload({ id, member: true, params: [text], result: text, implement: edit })],
    cost: copyingCost,
  };
}

function join(list: CelList, separator: string): string | CelFailure {
  const pieces: string[] = [];
  for (const element of elementsOf(list)) {
    if (typeof element !== "string") return failure(`join: invalid input: ${formatValue(element)}`);
    pieces.push(element);
  }
  return pieces.join(separator);
}

function format(pattern: string, list: CelList): string | CelFailure {
  const filled = fillFormat(pattern, {
    count: list.size,
    reportsEndFirst: false,
    fill: (clause, index) => {
      const argument = list.at(index);
      return argument instanceof CelFailure ? new Malformed(argument.message) : fillClause(clause, argument);
    },
  });
  return filled instanceof Malformed ? failure(filled.problem) : filled.text;
}
