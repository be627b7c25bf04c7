import type { CelType } from "./type.ts";

/** Returns the name that `type(x)` has for values of a type, without type parameters. */
export function runtimeName(type: CelType): string {
  switch (type.kind) {
    case "null":
      return "null_type";
    case "timestamp":
      return "google.protobuf.Timestamp";
    case "duration":
      return "google.protobuf.Duration";
    case "optional":
      return "optional_type";
    case "opaque":
    case "object":
    case "parameter":
      return type.name;
    case "dyn":
    case "bool":
    case "int":
    case "uint":
    case "double":
    case "string":
    case "bytes":
    case "type":
    case "list":
    case "map":
  }
  return type.kind;
}
