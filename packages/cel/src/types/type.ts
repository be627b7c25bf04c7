import type { CelList, CelMap, CelOpaque, CelOptional, CelTypeValue, CelUint, CelValue } from "../values/value.ts";
import type { CelDuration } from "../values/duration.ts";
import type { CelTimestamp } from "../values/timestamp.ts";
import type { CostNode, Range } from "./cost-node.ts";

/** The kinds of CEL types without parameters. */
export type SimpleKind =
  | "dyn"
  | "null"
  | "bool"
  | "int"
  | "uint"
  | "double"
  | "string"
  | "bytes"
  | "timestamp"
  | "duration";

/** A type without parameters. */
export interface SimpleType<K extends SimpleKind = SimpleKind> {
  readonly kind: K;
}

/** The type of a type value: `type(1)` has type `type(int)`. */
export interface TypeType {
  readonly kind: "type";
  /** The type that the value denotes, if it is known. */
  readonly of: CelType | undefined;
}

/** The type of lists with elements of one type. */
export interface ListType {
  readonly kind: "list";
  readonly element: CelType;
}

/** The type of maps with keys of one type and values of one type. */
export interface MapType {
  readonly kind: "map";
  readonly key: CelType;
  readonly value: CelType;
}

/** The type of optional values, which `optional.of` and `a.?b` return. */
export interface OptionalType {
  readonly kind: "optional";
  readonly element: CelType;
}

/** A type defined by a library. Only its own functions access the content of its values. */
export interface OpaqueType<V extends CelOpaque = CelOpaque> {
  readonly kind: "opaque";
  /** Name as returned by `type()`, such as `net.IP`. */
  readonly name: string;
  readonly params: readonly CelType[];
  /** Class of the values, checked at run time before a function of the library is called. */
  readonly valueClass: abstract new (...args: never[]) => V;
  /** Estimates the cost of `==`. Defaults to the cost of comparing two scalars. */
  readonly estimateEquality?: (left: CostNode, right: CostNode) => Range;
}

/** The type of objects with declared fields. At run time the values are maps. */
export interface ObjectType {
  readonly kind: "object";
  readonly name: string;
  /** Types of the fields by their escaped names. */
  readonly fields: ReadonlyMap<string, CelType>;
}

/** A type parameter in the signature of a function: the `T` of `list(T)`. */
export interface ParameterType {
  readonly kind: "parameter";
  readonly name: string;
}

/** A type of the CEL type system. */
export type CelType =
  | SimpleType
  | TypeType
  | ListType
  | MapType
  | OptionalType
  | OpaqueType
  | ObjectType
  | ParameterType;

/** The dynamic type, which disables type-checking. */
export const dynType: SimpleType<"dyn"> = { kind: "dyn" };
/** The type of `null`. */
export const nullType: SimpleType<"null"> = { kind: "null" };
/** The type of `true` and `false`. */
export const boolType: SimpleType<"bool"> = { kind: "bool" };
/** Signed 64-bit integers. */
export const intType: SimpleType<"int"> = { kind: "int" };
/** Unsigned 64-bit integers. */
export const uintType: SimpleType<"uint"> = { kind: "uint" };
/** IEEE 754 doubles. */
export const doubleType: SimpleType<"double"> = { kind: "double" };
/** Strings of Unicode code points. */
export const stringType: SimpleType<"string"> = { kind: "string" };
/** Byte sequences. */
export const bytesType: SimpleType<"bytes"> = { kind: "bytes" };
/** Points in time, `google.protobuf.Timestamp`. */
export const timestampType: SimpleType<"timestamp"> = { kind: "timestamp" };
/** Spans of time, `google.protobuf.Duration`. */
export const durationType: SimpleType<"duration"> = { kind: "duration" };
/** The type of type values in general. */
export const typeType: TypeType = { kind: "type", of: undefined };

/** Returns the type of the type value that denotes `of`. */
export function typeOfType(of: CelType): TypeType {
  return { kind: "type", of };
}

/** Returns the list type with the given element type. */
export function listType(element: CelType): ListType {
  return { kind: "list", element };
}

/** Returns the map type with the given key and value types. */
export function mapType(key: CelType, value: CelType): MapType {
  return { kind: "map", key, value };
}

/** Returns the type of optional values. */
export function optionalType(element: CelType): OptionalType {
  return { kind: "optional", element };
}

/**
 * Returns a new opaque type.
 *
 * @example
 * class IpValue extends CelOpaque { ... }
 * const ipType = opaqueType("net.IP", IpValue);
 */
export function opaqueType<V extends CelOpaque>(
  name: string,
  valueClass: abstract new (...args: never[]) => V,
  more: { params?: readonly CelType[]; estimateEquality?: (left: CostNode, right: CostNode) => Range } = {},
): OpaqueType<V> {
  return {
    kind: "opaque",
    name,
    params: more.params ?? [],
    valueClass,
    ...(more.estimateEquality && { estimateEquality: more.estimateEquality }),
  };
}

/** Returns an object type with the given fields. */
export function objectType(name: string, fields: ReadonlyMap<string, CelType>): ObjectType {
  return { kind: "object", name, fields };
}

/** Returns a type parameter for function signatures. */
export function typeParameter(name: string): ParameterType {
  return { kind: "parameter", name };
}

/** Reports whether two types are identical, including their parameters. */
export function sameType(left: CelType, right: CelType): boolean {
  if (left === right) return true;
  if (left.kind === "list" || left.kind === "optional") {
    return right.kind === left.kind && sameType(left.element, right.element);
  }
  if (left.kind === "map") {
    return right.kind === "map" && sameType(left.key, right.key) && sameType(left.value, right.value);
  }
  if (left.kind === "type") {
    if (right.kind !== "type" || left.of === undefined || right.of === undefined)
      return right.kind === "type" && left.of === right.of;
    return sameType(left.of, right.of);
  }
  if (left.kind === "opaque") {
    return right.kind === "opaque" && left.name === right.name && sameTypes(left.params, right.params);
  }
  if (left.kind === "object" || left.kind === "parameter") return right.kind === left.kind && left.name === right.name;
  return left.kind === right.kind;
}

function sameTypes(left: readonly CelType[], right: readonly CelType[]): boolean {
  return left.length === right.length && left.every((type, index) => sameType(type, right[index] ?? dynType));
}

interface ValuesByKind {
  dyn: CelValue;
  null: null;
  bool: boolean;
  int: bigint;
  uint: CelUint;
  double: number;
  string: string;
  bytes: Uint8Array;
  timestamp: CelTimestamp;
  duration: CelDuration;
  type: CelTypeValue;
  list: CelList;
  map: CelMap;
  optional: CelOptional;
  opaque: CelOpaque;
  object: CelMap;
  parameter: CelValue;
}

/** The TypeScript type of the values of a CEL type. */
export type ValueOf<T extends CelType> = T extends OpaqueType<infer V> ? V : ValuesByKind[T["kind"]];
