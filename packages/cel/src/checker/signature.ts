import type { Overload } from "../library.ts";
import { listType, mapType, optionalType, typeOfType, type CelType, type ParameterType } from "../types/type.ts";
import type { Unifier } from "./unifier.ts";

/** The types of the parameters and the result of an overload. */
export interface Signature {
  readonly params: readonly CelType[];
  readonly result: CelType;
}

/** Returns the signature with fresh type variables for its type parameters, so that each call is inferred independently. */
export function instantiate(overload: Overload, unifier: Unifier): Signature {
  const variables = new Map<string, ParameterType>();
  const params = overload.params.map((type) => replaceParameters(type, variables, unifier));
  return { params, result: replaceParameters(overload.result, variables, unifier) };
}

function replaceParameters(type: CelType, variables: Map<string, ParameterType>, unifier: Unifier): CelType {
  const again = (part: CelType): CelType => replaceParameters(part, variables, unifier);
  if (type.kind === "parameter") {
    const variable = variables.get(type.name) ?? unifier.fresh();
    variables.set(type.name, variable);
    return variable;
  }
  if (type.kind === "list") return listType(again(type.element));
  if (type.kind === "map") return mapType(again(type.key), again(type.value));
  if (type.kind === "optional") return optionalType(again(type.element));
  if (type.kind === "type") return type.of === undefined ? type : typeOfType(again(type.of));
  if (type.kind === "opaque" && type.params.length > 0) return { ...type, params: type.params.map(again) };
  return type;
}
