// CEL objects with declared fields that keep their names.
//
// Schemas of custom resources escape `namespace`, because it is a reserved word in CEL. The types of admission
// (`request`, `namespaceObject`) are declared without escaping.

import {
  CelMap,
  type CelResult,
  type CelType,
  type CelValue,
  dynType,
  fromJson,
  type JsonShape,
  objectType,
  typeOfShape,
} from "@homeostat/cel";
import { isRecord, type JsonRecord } from "@homeostat/core";

/** A declared object type: its fields are other declared types or any JSON shape. */
export interface DeclaredShape {
  readonly name: string;
  readonly fields: Readonly<Record<string, DeclaredShape | JsonShape>>;
}

function isDeclared(shape: DeclaredShape | JsonShape): shape is DeclaredShape {
  return "fields" in shape;
}

/** Returns the CEL type of a declared object. */
export function declaredType({ name, fields }: DeclaredShape): CelType {
  const types = Object.entries(fields).map(([field, shape]): [string, CelType] => [
    field,
    isDeclared(shape) ? declaredType(shape) : (typeOfShape(shape, `${name}.${field}`) ?? dynType),
  ]);
  return objectType(name, new Map(types));
}

/** A JSON object as a CEL value. Fields that are null or absent do not exist, so `has()` is false for them. */
export class DeclaredObject extends CelMap {
  readonly #json: JsonRecord;
  readonly #shape: DeclaredShape;

  constructor(json: JsonRecord, shape: DeclaredShape) {
    super();
    this.#json = json;
    this.#shape = shape;
  }

  override get size(): number {
    return this.keys().length;
  }

  override keys(): readonly string[] {
    return Object.keys(this.#shape.fields).filter((field) => this.#at(field) !== undefined);
  }

  override find(key: CelValue): CelResult | undefined {
    if (typeof key !== "string" || !Object.hasOwn(this.#shape.fields, key)) return undefined;
    const [shape, value] = [this.#shape.fields[key], this.#at(key)];
    if (shape === undefined || value === undefined) return undefined;
    if (!isDeclared(shape)) return fromJson(value, shape);
    return isRecord(value) ? new DeclaredObject(value, shape) : undefined;
  }

  #at(field: string): unknown {
    const found = Object.hasOwn(this.#json, field) ? this.#json[field] : undefined;
    return found === null ? undefined : found;
  }
}
