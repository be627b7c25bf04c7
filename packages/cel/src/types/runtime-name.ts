import type { CelType } from "./type.ts";

/** The name under which `type(x)` shows values of a type; parameters are not part of it. */
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
