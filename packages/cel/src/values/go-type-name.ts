import { typeNameOf } from "./type-of.ts";
import { CelList, CelMap, CelOptional, CelTypeValue, type CelValue } from "./value.ts";

/** Returns the Go type name of a value, which some messages of the API server contain. */
export function goTypeName(value: CelValue): string {
  if (value instanceof CelList || value instanceof CelMap) return value.goTypeName;
  if (value instanceof CelOptional) return "*types.Optional";
  if (value instanceof CelTypeValue) return "*types.Type";
  const name = (typeNameOf(value).split(".").at(-1) ?? "").replace("null_type", "null");
  return `types.${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}
