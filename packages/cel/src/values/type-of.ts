import { CelDuration } from "./duration.ts";
import { CelStruct } from "./struct.ts";
import { CelTimestamp } from "./timestamp.ts";
import { CelList, CelMap, CelOpaque, CelOptional, CelTypeValue, CelUint, type CelValue } from "./value.ts";

/** Returns the type name of a value, as in `type(x)`: `int`, `list`, `google.protobuf.Timestamp`. */
export function typeNameOf(value: CelValue): string {
  if (typeof value === "bigint") return "int";
  if (typeof value === "number") return "double";
  if (typeof value === "string") return "string";
  if (typeof value === "boolean") return "bool";
  if (value === null) return "null_type";
  if (value instanceof CelUint) return "uint";
  if (value instanceof CelList) return "list";
  if (value instanceof CelMap) return value instanceof CelStruct ? value.typeName : "map";
  if (value instanceof CelTimestamp) return "google.protobuf.Timestamp";
  if (value instanceof CelDuration) return "google.protobuf.Duration";
  if (value instanceof CelTypeValue) return "type";
  if (value instanceof CelOptional) return "optional_type";
  return value instanceof CelOpaque ? value.type.name : "bytes";
}
