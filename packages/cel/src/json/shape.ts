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
  /** Whether `null` is allowed here. */
  readonly nullable?: boolean;
  /**
   * The largest size a value can have, for cost estimates: characters of a string, elements of a list, entries of a
   * map. 0 when absent, as for scalars and objects.
   */
  readonly maxElements?: number;
}

/** A scalar: how the JSON value is read. */
export interface ScalarShape extends Common {
  readonly kind:
    | "bool"
    | "int"
    | "double"
    | "string"
    /** Base64 text read as bytes (format `byte`). */
    | "bytes"
    /** Text read as a point in time (format `date-time`). */
    | "timestamp"
    /** Text read as the start of a day (format `date`). */
    | "date"
    /** Text read as a duration (format `duration`). */
    | "duration"
    /** A number or a text (`x-kubernetes-int-or-string`); of type `dyn`. */
    | "intOrString"
    /** Any JSON, read as it comes: whole numbers as int, others as double. Of type `dyn`. */
    | "dyn"
    /** Data an expression cannot reach (`x-kubernetes-preserve-unknown-fields` without a type). Only equality. */
    | "preserved";
}

/** A list. `listType` decides what `==` and `+` mean. */
export interface ListShape extends Common {
  readonly kind: "list";
  readonly items: JsonShape;
  readonly listType?: "atomic" | "set" | "map";
  /** The key properties of `listType: "map"`, by their JSON names. */
  readonly mapKeys?: readonly string[];
}

/** An object with arbitrary keys (`additionalProperties`). */
export interface MapShape extends Common {
  readonly kind: "map";
  readonly values: JsonShape;
}

/** An object with declared properties. Undeclared ones stay out of sight. */
export interface ObjectShape extends Common {
  readonly kind: "object";
  /** Shapes by JSON property name. */
  readonly properties: ReadonlyMap<string, JsonShape>;
}

/** How the JSON at one place of a schema is read as CEL values, and what type that gives. */
export type JsonShape = ScalarShape | ListShape | MapShape | ObjectShape;

/** The shape of any JSON. */
export const dynShape: ScalarShape = { kind: "dyn", nullable: true };

/**
 * The CEL type of values of this shape; `undefined` when expressions cannot reach them.
 *
 * `name` names object types; nested ones get names below it, as the API server names them.
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
