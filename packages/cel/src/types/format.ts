import type { CelType } from "./type.ts";

/**
 * Formats a type for messages: `list(int)`, `map(string, dyn)`, `optional_type(int)`.
 *
 * `special` can override the format of a type, including nested ones, by returning a string.
 */
export function formatType(type: CelType, special?: (type: CelType) => string | undefined): string {
  const known = special?.(type);
  if (known !== undefined) return known;
  const again = (part: CelType): string => formatType(part, special);
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
      return type.of === undefined ? "type" : `type(${again(type.of)})`;
    case "list":
      return `list(${again(type.element)})`;
    case "map":
      return `map(${again(type.key)}, ${again(type.value)})`;
    case "optional":
      return `optional_type(${again(type.element)})`;
    case "opaque":
      return type.params.length === 0 ? type.name : `${type.name}(${type.params.map(again).join(", ")})`;
    case "object":
    case "parameter":
  }
  return type.name;
}
