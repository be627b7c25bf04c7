import { CelFailure, failure, noSuchOverload } from "../failure.ts";
import { defineLibrary, type Library } from "../library.ts";
import type { Expr } from "../syntax/ast.ts";
import type { ExprFactory, MacroDeclaration } from "../syntax/macro.ts";
import { accumulator, countingOne, variableName, type Fold } from "../syntax/macros.ts";
import { mapType, typeParameter } from "../types/type.ts";
import { EntryMap, GrowingMap } from "../values/collections.ts";
import { formatValue } from "../values/format.ts";
import { CelMap, type CelResult, type CelValue } from "../values/value.ts";

const k = typeParameter("K");
const v = typeParameter("V");
const mapKV = mapType(k, v);

/** Macros with one variable for the index or key and one for the value: `all(i, v, …)`, `transformMap(k, v, …)`. */
export const twoVariableLibrary: Library = defineLibrary({
  name: "two-variable comprehensions",
  functions: () => [
    {
      name: "cel.@mapInsert",
      overloads: [
        { id: "@mapInsert_map_key_value", params: [mapKV, k, v], result: mapKV, implement: insertEntry },
        { id: "@mapInsert_map_map", params: [mapKV, mapKV], result: mapKV, implement: insertAll },
      ],
    },
  ],
  macros: [
    folding("all", 3, (factory, [predicate]) => ({
      initial: factory.literal(true),
      condition: factory.call("@not_strictly_false", accumulator(factory)),
      step: factory.call("_&&_", accumulator(factory), predicate),
      result: accumulator(factory),
    })),
    folding("exists", 3, (factory, [predicate]) => ({
      initial: factory.literal(false),
      condition: factory.call("@not_strictly_false", factory.call("!_", accumulator(factory))),
      step: factory.call("_||_", accumulator(factory), predicate),
      result: accumulator(factory),
    })),
    folding("existsOne", 3, (factory, [predicate]) => countingOne(factory, predicate)),
    folding("exists_one", 3, (factory, [predicate]) => countingOne(factory, predicate)),
    ...transforming("transformList", (factory, transform) => ({
      initial: factory.list(),
      step: factory.call("_+_", accumulator(factory), factory.list(transform)),
    })),
    ...transforming("transformMap", (factory, transform, key) => ({
      initial: factory.map(),
      step: factory.call("cel.@mapInsert", accumulator(factory), factory.ident(key), transform),
    })),
    ...transforming("transformMapEntry", (factory, transform) => ({
      initial: factory.map(),
      step: factory.call("cel.@mapInsert", accumulator(factory), transform),
    })),
  ],
});

/** Returns a macro with two variables. `fold` gets the arguments after them and the name of the first variable. */
function folding(
  name: string,
  argumentCount: number,
  fold: (factory: ExprFactory, args: readonly [Expr, ...Expr[]], key: string) => Fold,
): MacroDeclaration {
  return {
    name,
    member: true,
    argumentCount,
    expand: (factory, [first, second, body, ...rest], range) => {
      if (first === undefined || second === undefined || body === undefined || range === undefined) return undefined;
      const variable = variableName(factory, first, "argument must be a simple name");
      const variable2 = variableName(factory, second, "argument must be a simple name");
      if (variable === variable2) throw factory.problem(second, `duplicate variable name: ${variable}`);
      return factory.comprehension({ range, variable, variable2, ...fold(factory, [body, ...rest], variable) });
    },
  };
}

/** Returns the macros of a transformation, with and without a filter. */
function transforming(
  name: string,
  collect: (factory: ExprFactory, transform: Expr, key: string) => Pick<Fold, "initial" | "step">,
): readonly MacroDeclaration[] {
  return [3, 4].map((argumentCount) =>
    folding(name, argumentCount, (factory, [first, second], key) => {
      const { initial, step } = collect(factory, second ?? first, key);
      return {
        initial,
        condition: factory.literal(true),
        step: second === undefined ? step : factory.call("_?_:_", first, step, accumulator(factory)),
        result: accumulator(factory),
      };
    }),
  );
}

function insertEntry(map: CelValue, key: CelValue, value: CelValue): CelResult {
  if (!(map instanceof CelMap)) return noSuchOverload();
  if (map.find(key) !== undefined) return failure(`insert failed: key ${formatValue(key)} already exists`);
  return growing(map, (grown) => grown.put(key, value));
}

function insertAll(map: CelValue, added: CelValue): CelResult {
  if (!(map instanceof CelMap) || !(added instanceof CelMap)) return noSuchOverload();
  return growing(map, (grown) => {
    for (const key of added.keys()) {
      if (grown.find(key) !== undefined) return failure(`insert failed: key ${formatValue(key)} already exists`);
      const value = added.find(key) ?? null;
      if (value instanceof CelFailure) return value;
      grown.put(key, value);
    }
    return grown;
  });
}

/** Adds entries to a map: in place if a comprehension is building it, otherwise in a copy. */
function growing(map: CelMap, add: (grown: EntryMap) => CelResult): CelResult {
  if (map instanceof GrowingMap) return add(map);
  const copy = new EntryMap();
  for (const key of map.keys()) {
    const value = map.find(key) ?? null;
    if (value instanceof CelFailure) return value;
    copy.put(key, value);
  }
  return add(copy);
}
