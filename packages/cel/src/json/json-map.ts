import { CelFailure, noSuchOverload } from "../failure.ts";
import { equals } from "../values/equality.ts";
import { CelMap, type CelResult, type CelValue } from "../values/value.ts";
import { jsonEqual } from "./json-equal.ts";
import { DynamicMap } from "./dynamic.ts";
import { ownProperty, type JsonObjectData, type ReadJson } from "./json.ts";
import { escapeName, unescapeName } from "./names.ts";
import type { JsonShape, MapShape, ObjectShape } from "./shape.ts";

/** Base class of maps that wrap JSON objects: size and equality use the JSON, values are converted by the shape. */
abstract class JsonMapBase extends CelMap {
  readonly json: JsonObjectData;
  protected readonly read: ReadJson<JsonShape>;

  constructor(json: JsonObjectData, read: ReadJson<JsonShape>) {
    super();
    this.json = json;
    this.read = read;
  }

  protected abstract shapeOf(property: string): JsonShape | undefined;

  override get goTypeName(): string {
    return "*common.unstructuredMap";
  }

  override get hasZero(): boolean {
    return false;
  }

  override plain(): CelValue {
    return new DynamicMap(this.json);
  }

  // As in the API server, undeclared properties count.
  override get size(): number {
    return Object.keys(this.json).length;
  }

  override customEquals(other: CelValue): boolean | CelFailure {
    if (!(other instanceof CelMap)) return noSuchOverload();
    const properties = Object.keys(this.json);
    if (properties.length !== other.size) return false;
    for (const property of properties) {
      const equal = this.#sameAt(property, other);
      if (equal !== true) return equal;
    }
    return true;
  }

  #sameAt(property: string, other: CelMap): boolean | CelFailure {
    if (this.shapeOf(property) === undefined) {
      if (!(other instanceof JsonMapBase)) return noSuchOverload();
      return !Object.hasOwn(other.json, property) || jsonEqual(this.json[property], other.json[property]);
    }
    const own = this.find(property);
    const otherValue = other.find(property);
    if (own === undefined || otherValue === undefined) return own === otherValue;
    if (own instanceof CelFailure) return own;
    return otherValue instanceof CelFailure ? otherValue : equals(own, otherValue);
  }
}

/** A JSON object with arbitrary keys. */
export class JsonMap extends JsonMapBase {
  readonly #shape: MapShape;

  constructor(json: JsonObjectData, shape: MapShape, read: ReadJson<JsonShape>) {
    super(json, read);
    this.#shape = shape;
  }

  protected override shapeOf(): JsonShape {
    return this.#shape.values;
  }

  override find(key: CelValue): CelResult | undefined {
    if (typeof key !== "string") return noSuchOverload();
    return Object.hasOwn(this.json, key) ? this.read(this.json[key], this.#shape.values) : undefined;
  }

  override keys(): readonly CelValue[] {
    return Object.keys(this.json);
  }
}

/** A JSON object with declared properties, accessed by their escaped names. A property that is null counts as missing. */
export class JsonObject extends JsonMapBase {
  readonly #shape: ObjectShape;

  constructor(json: JsonObjectData, shape: ObjectShape, read: ReadJson<JsonShape>) {
    super(json, read);
    this.#shape = shape;
  }

  protected override shapeOf(property: string): JsonShape | undefined {
    return this.#shape.properties.get(property);
  }

  override find(key: CelValue): CelResult | undefined {
    if (typeof key !== "string") return noSuchOverload();
    const property = unescapeName(key);
    if (property === undefined) return undefined;
    const json = ownProperty(this.json, property);
    const shape = this.#shape.properties.get(property);
    return json === undefined || json === null || shape === undefined ? undefined : this.read(json, shape);
  }

  override keys(): readonly CelValue[] {
    return Object.keys(this.json)
      .filter((property) => this.#shape.properties.has(property))
      .map((property) => escapeName(property) ?? property);
  }
}

/** Returns the JSON object of a map; undefined for a map that an expression created. */
export function jsonOf(value: CelValue): JsonObjectData | undefined {
  return value instanceof JsonMapBase ? value.json : undefined;
}
