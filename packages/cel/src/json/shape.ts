import { escapeName } from "./names.ts";
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  objectType,
  stringType,
  timestampType,
  type CelType,
} from "../types/type.ts";

interface Common {
  /** True if `null` is allowed. */
  readonly nullable?: boolean;
  /**
   * Maximum size of a value, for cost estimates: characters of a string, elements of a list, entries of a map. Default 0, as for
   * scalars and objects.
   */
  readonly maxElements?: number;
}

/** The shape of a scalar: `kind` determines how the JSON value is converted. */
export interface ScalarShape extends Common {
  readonly kind:
    | "bool"
    | "int"
    | "double"
    | "string"
    /** A base64 string, converted to bytes (format `byte`). */
    | "bytes"
    /** A string, converted to a timestamp (format `date-time`). */
    | "timestamp"
    /** A string, converted to the timestamp of the start of the day (format `date`). */
    | "date"
    /** A string, converted to a duration (format `duration`). */
    | "duration"
    /** An integer or a string (`x-kubernetes-int-or-string`), of type `dyn`. */
    | "intOrString"
    /** Any JSON: integers are converted to int, other numbers to double. Of type `dyn`. */
    | "dyn"
    /** Data that expressions cannot access (`x-kubernetes-preserve-unknown-fields` without a type), except for equality. */
    | "preserved";
}

/** The shape of a list. `listType` determines the semantics of `==` and `+`. */
export interface ListShape extends Common {
  readonly kind: "list";
  readonly items: JsonShape;
  readonly listType?: "atomic" | "set" | "map";
  /** JSON names of the key properties for `listType: "map"`. */
  readonly mapKeys?: readonly string[];
}

/** The shape of an object with arbitrary keys (`additionalProperties`). */
export interface MapShape extends Common {
  readonly kind: "map";
  readonly values: JsonShape;
}

/** The shape of an object with declared properties. Expressions cannot access undeclared ones. */
export interface ObjectShape extends Common {
  readonly kind: "object";
  /** Shapes by JSON property name. */
  readonly properties: ReadonlyMap<string, JsonShape>;
}

/** Describes how JSON is converted to CEL values, and the CEL type of these. Usually derived from a structural schema. */
export type JsonShape = ScalarShape | ListShape | MapShape | ObjectShape;

/** The shape of any JSON. */
export const dynShape: ScalarShape = { kind: "dyn", nullable: true };

/**
 * Returns the CEL type of values of this shape; undefined if expressions cannot access them.
 *
 * `name` is the name of an object type. Nested object types get names below it, as in the API server.
 */
export function typeOfShape(shape: JsonShape, name: string): CelType | undefined {
  switch (shape.kind) {
    case "bool":
      return boolType;
    case "int":
      return intType;
    case "double":
      return doubleType;
    case "string":
      return stringType;
    case "bytes":
      return bytesType;
    case "timestamp":
    case "date":
      return timestampType;
    case "duration":
      return durationType;
    case "intOrString":
    case "dyn":
      return dynType;
    case "preserved":
      return undefined;
    case "list": {
      const element = typeOfShape(shape.items, `${name}.@idx`);
      return element && listType(element);
    }
    case "map": {
      const value = typeOfShape(shape.values, `${name}.@elem`);
      return value && mapType(stringType, value);
    }
    case "object":
  }
  const fields = new Map<string, CelType>();
  for (const [property, propertyShape] of shape.properties) {
    const field = escapeName(property);
    if (field === undefined) continue;
    const type = typeOfShape(propertyShape, `${name}.${field}`);
    if (type !== undefined) fields.set(field, type);
  }
  return objectType(name, fields);
}
