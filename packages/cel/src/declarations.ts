import type { CallCost } from "./cost/model.ts";
import type { ConstantDeclaration, FunctionDeclaration, Library, Overload } from "./library.ts";
import { macroTable, type MacroTable } from "./syntax/macro.ts";
import type { CelType, ObjectType } from "./types/type.ts";
import type { CelResult, CelValue } from "./values/value.ts";

/** A function with its overloads from all libraries. */
export interface FunctionEntry {
  readonly name: string;
  readonly overloads: readonly Overload[];
  readonly costs: readonly CallCost[];
  /** Called if the arguments match no overload at run time. */
  readonly otherwise: ((...args: CelValue[]) => CelResult) | undefined;
}

/** All names that an expression may refer to. */
export interface Declarations {
  readonly functions: ReadonlyMap<string, FunctionEntry>;
  readonly macros: MacroTable;
  /** Types by name. */
  readonly types: ReadonlyMap<string, CelType>;
  /** Object types, which can be constructed with `Name{...}`. */
  readonly objects: ReadonlyMap<string, ObjectType>;
  /** Returns an object type that a library creates on demand. */
  readonly typeNamed: (name: string) => ObjectType | undefined;
  readonly constants: ReadonlyMap<string, ConstantDeclaration>;
  readonly variables: ReadonlyMap<string, CelType>;
  /** Prefix under which names are also looked up; empty for none. */
  readonly container: string;
  readonly optionalSyntax: boolean;
}

/** Merges libraries. An overload replaces an earlier one with the same id. */
export function declare(
  libraries: readonly Library[],
  variables: ReadonlyMap<string, CelType>,
  container: string,
): Declarations {
  const functions = new Map<string, Building>();
  const types = new Map<string, CelType>();
  const objects = new Map<string, ObjectType>();
  const constants = new Map<string, ConstantDeclaration>();
  for (const library of libraries) {
    for (const declaration of library.functions ?? []) addFunction(functions, declaration);
    for (const { name, type } of library.typeNames ?? []) types.set(name, type);
    for (const type of library.types ?? []) {
      types.set(type.name, type);
      if (type.kind === "object") objects.set(type.name, type);
    }
    for (const constant of library.constants ?? []) constants.set(constant.name, constant);
  }
  return {
    functions,
    macros: macroTable(libraries.flatMap((library) => library.macros ?? [])),
    types,
    objects,
    typeNamed: (name) => {
      for (const library of libraries) {
        const type = library.typeNamed?.(name);
        if (type !== undefined) return type;
      }
      return undefined;
    },
    constants,
    variables,
    container,
    optionalSyntax: libraries.some((library) => library.optionalSyntax === true),
  };
}

interface Building extends FunctionEntry {
  readonly overloads: Overload[];
  readonly costs: CallCost[];
  otherwise: ((...args: CelValue[]) => CelResult) | undefined;
}

function addFunction(functions: Map<string, Building>, declaration: FunctionDeclaration): void {
  const { name, overloads, cost } = declaration;
  const entry = functions.get(name) ?? { name, overloads: [], costs: [], otherwise: undefined };
  functions.set(name, entry);
  for (const overload of overloads) addOverload(entry.overloads, overload);
  if (cost !== undefined) entry.costs.push(cost);
  entry.otherwise = declaration.otherwise ?? entry.otherwise;
}

function addOverload(overloads: Overload[], overload: Overload): void {
  const existing = overloads.findIndex(({ id }) => id === overload.id);
  if (existing >= 0) overloads[existing] = overload;
  else overloads.push(overload);
}

/** Returns the full names that a name may refer to inside a container: in `a.b`, `x` is `a.b.x`, `a.x` or `x`; `.x` is only `x`. */
export function candidateNames(container: string, name: string): readonly string[] {
  if (name.startsWith(".")) return [name.slice(1)];
  if (container === "") return [name];
  const parts = container.split(".");
  return [...parts.map((_, index) => `${parts.slice(0, parts.length - index).join(".")}.${name}`), name];
}
