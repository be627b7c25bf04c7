import { CelFailure, failure, noSuchOverload } from "../failure.ts";
import { defineLibrary, defineOverload, type Library } from "../library.ts";
import type { Expr } from "../syntax/ast.ts";
import type { ExprFactory, MacroDeclaration } from "../syntax/macro.ts";
import {
  boolType,
  dynType,
  intType,
  listType,
  mapType,
  opaqueType,
  optionalType,
  stringType,
  typeParameter,
} from "../types/type.ts";
import { ArrayList } from "../values/collections.ts";
import { CelDuration } from "../values/duration.ts";
import { formatValue } from "../values/format.ts";
import { CelTimestamp, timestampNanosMin } from "../values/timestamp.ts";
import { CelList, CelMap, CelOpaque, CelOptional, CelUint, type CelResult, type CelValue } from "../values/value.ts";

const k = typeParameter("K");
const v = typeParameter("V");
const optionalV = optionalType(v);
const listV = listType(v);
const mapKV = mapType(k, v);
const listOfOptionals = listType(optionalV);

/** Value class of the name `optional_type`, which unlike the type itself has no parameter. There are no such values. */
abstract class NoValue extends CelOpaque {}

/** The library of optional values: `a.?b`, `a[?k]`, `optional.of`, `orValue`, `optMap`. */
export const optionalLibrary: Library = defineLibrary({
  name: "optional",
  optionalSyntax: true,
  types: [opaqueType("optional_type", NoValue)],
  macros: [macro("optMap", true), macro("optFlatMap", false)],
  functions: () => [
    {
      name: "optional.of",
      overloads: [
        { id: "optional_of", params: [v], result: optionalV, implement: (value: CelValue) => CelOptional.of(value) },
      ],
    },
    {
      name: "optional.ofNonZeroValue",
      overloads: [
        {
          id: "optional_ofNonZeroValue",
          params: [v],
          result: optionalV,
          implement: (value: CelValue) => (isZero(value) ? CelOptional.none : CelOptional.of(value)),
        },
      ],
    },
    {
      name: "optional.none",
      overloads: [{ id: "optional_none", params: [], result: optionalV, implement: () => CelOptional.none }],
    },
    {
      name: "value",
      overloads: [
        {
          id: "optional_value",
          member: true,
          params: [optionalV],
          result: v,
          implement: (optional: CelValue) =>
            optional instanceof CelOptional && optional.value !== undefined
              ? optional.value
              : failure("optional.none() dereference"),
        },
      ],
    },
    {
      name: "hasValue",
      overloads: [
        defineOverload({
          id: "optional_hasValue",
          member: true,
          params: [optionalV],
          result: boolType,
          implement: (optional) => optional.value !== undefined,
        }),
      ],
    },
    // The following are declared for the checker only; the interpreter evaluates them itself.
    {
      name: "or",
      overloads: [
        {
          id: "optional_or_optional",
          member: true,
          params: [optionalV, optionalV],
          result: optionalV,
          implement: noSuchOverload,
        },
      ],
    },
    {
      name: "orValue",
      overloads: [
        { id: "optional_orValue_value", member: true, params: [optionalV, v], result: v, implement: noSuchOverload },
      ],
    },
    {
      name: "_?._",
      overloads: [
        { id: "select_optional_field", params: [dynType, stringType], result: optionalV, implement: noSuchOverload },
      ],
    },
    {
      name: "_[?_]",
      overloads: [
        { id: "list_optindex_optional_int", params: [listV, intType], result: optionalV, implement: noSuchOverload },
        {
          id: "optional_list_optindex_optional_int",
          params: [optionalType(listV), intType],
          result: optionalV,
          implement: noSuchOverload,
        },
        { id: "map_optindex_optional_value", params: [mapKV, k], result: optionalV, implement: noSuchOverload },
        {
          id: "optional_map_optindex_optional_value",
          params: [optionalType(mapKV), k],
          result: optionalV,
          implement: noSuchOverload,
        },
      ],
    },
    {
      name: "_[_]",
      overloads: [
        {
          id: "optional_list_index_int",
          params: [optionalType(listV), intType],
          result: optionalV,
          implement: noSuchOverload,
        },
        {
          id: "optional_map_index_value",
          params: [optionalType(mapKV), k],
          result: optionalV,
          implement: noSuchOverload,
        },
      ],
    },
    {
      name: "last",
      overloads: [
        {
          id: "list_last",
          member: true,
          params: [listV],
          result: optionalV,
          implement: (list: CelValue) => elementAt(list, (size) => size - 1),
        },
      ],
    },
    {
      name: "first",
      overloads: [
        {
          id: "list_first",
          member: true,
          params: [listV],
          result: optionalV,
          implement: (list: CelValue) => elementAt(list, () => 0),
        },
      ],
    },
    {
      name: "optional.unwrap",
      overloads: [{ id: "optional_unwrap", params: [listOfOptionals], result: listV, implement: unwrap }],
    },
    {
      name: "unwrapOpt",
      overloads: [
        { id: "optional_unwrapOpt", member: true, params: [listOfOptionals], result: listV, implement: unwrap },
      ],
    },
  ],
});

/** Returns the macro `optMap`, which wraps the result in an optional, or `optFlatMap`, which expects an optional. */
function macro(name: string, wraps: boolean): MacroDeclaration {
  return {
    name,
    member: true,
    argumentCount: 2,
    expand: (factory, [variable, mapped], target) => {
      if (variable === undefined || mapped === undefined || target === undefined) return undefined;
      if (variable.kind !== "ident") {
        throw factory.problem(variable, `${name}() variable name must be a simple identifier`);
      }
      const bound = bind(factory, variable.name, factory.memberCall("value", factory.copy(target)), mapped);
      return factory.call(
        "_?_:_",
        factory.memberCall("hasValue", target),
        wraps ? factory.call("optional.of", bound) : bound,
        factory.call("optional.none"),
      );
    },
  };
}

/** Returns an expression that binds a value to a name: a fold over an empty list with the name as its accumulator. */
export function bind(factory: ExprFactory, name: string, value: Expr, result: Expr): Expr {
  return factory.comprehension({
    range: factory.list(),
    variable: "#unused",
    accumulator: name,
    initial: value,
    condition: factory.literal(false),
    step: factory.ident(name),
    result,
  });
}

/** Reports whether a value is the zero value of its type. Lists and maps of JSON data never are. */
function isZero(value: CelValue): boolean {
  if (typeof value === "object" && value !== null) {
    if (value instanceof CelUint) return value.value === 0n;
    if (value instanceof CelDuration) return value.nanos === 0n;
    if (value instanceof CelTimestamp) return value.nanos === timestampNanosMin;
    if (value instanceof Uint8Array) return value.length === 0;
    return (value instanceof CelList || value instanceof CelMap) && value.hasZero && value.size === 0;
  }
  return value === null || value === false || value === 0n || value === 0 || value === "";
}

function elementAt(list: CelValue, index: (size: number) => number): CelResult {
  if (!(list instanceof CelList)) return noSuchOverload();
  if (list.size === 0) return CelOptional.none;
  const element = list.at(index(list.size));
  return element instanceof CelFailure ? element : CelOptional.of(element);
}

function unwrap(list: CelValue): CelResult {
  if (!(list instanceof CelList)) return noSuchOverload();
  const values: CelValue[] = [];
  for (let index = 0; index < list.size; index++) {
    const element = list.at(index);
    if (!(element instanceof CelOptional)) return failure(`value ${formatValue(element)} is not optional`);
    if (element.value !== undefined) values.push(element.value);
  }
  return new ArrayList(values);
}
