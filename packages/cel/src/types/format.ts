import type { CelType } from "./type.ts";

/** The type as messages print it: `list(int)`, `map(string, dyn)`, `optional_type(int)`. */
export function formatType(type: CelType): string {
  switch (type.kind) {
    case "dyn":
    case "null":
    case "bool":
    case "int":
    case "uint":
    case "double":
    case "string":
    case "bytes":
    case "timestamp":
    case "duration":
      return type.kind;
    case "type":
      return type.of === undefined ? "type" : `type(${formatType(type.of)})`;
    case "list":
      return `list(${formatType(type.element)})`;
    case "map":
      return `map(${formatType(type.key)}, ${formatType(type.value)})`;
    case "optional":
      return `optional_type(${formatType(type.element)})`;
    case "opaque":
      return type.params.length === 0 ? type.name : `${type.name}(${type.params.map(formatType).join(", ")})`;
    case "object":
    case "parameter":
  }
  return type.name;
}
