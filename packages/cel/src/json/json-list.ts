import { CelFailure, failure, noSuchOverload } from "../failure.ts";
import { equals } from "../values/equality.ts";
import { CelDuration } from "../values/duration.ts";
import { CelTimestamp } from "../values/timestamp.ts";
import { CelList, CelMap, type CelResult, type CelValue } from "../values/value.ts";
import { DynamicList, DynamicMap } from "./dynamic.ts";
import { isJsonObject, ownProperty, type ReadJson } from "./json.ts";
import { jsonOf } from "./json-map.ts";
import { escapeName } from "./names.ts";
import type { JsonShape, ListShape } from "./shape.ts";

/**
 * A JSON array.
 *
 * `listType` determines `==` and `+`: for a set or map list, `==` ignores the order of elements, and `+` merges the lists.
 */
export class JsonList extends CelList {
  readonly json: readonly unknown[];
  readonly #shape: ListShape;
  readonly #read: ReadJson<JsonShape>;

  constructor(json: readonly unknown[], shape: ListShape, read: ReadJson<JsonShape>) {
    super();
    this.json = json;
    this.#shape = shape;
    this.#read = read;
  }

  override get goTypeName(): string {
    const kinds = { set: "SetList", map: "MapList", atomic: "List" };
    return `*common.unstructured${kinds[this.#shape.listType ?? "atomic"]}`;
  }

  override get hasZero(): boolean {
    return false;
  }

  override plain(): CelValue {
    return new DynamicList(this.json);
  }

  override get size(): number {
    return this.json.length;
  }

  override at(index: number): CelResult {
    return this.#read(this.json[index], this.#shape.items);
  }

  override customEquals(other: CelValue): boolean | CelFailure {
    if (!(other instanceof CelList)) return noSuchOverload();
    if (this.size !== other.size) return false;
    switch (this.#shape.listType) {
      case "set":
        return this.#equalsAsSet(other);
      case "map":
        return this.#equalsAsMap(other);
      case "atomic":
      case undefined:
    }
    for (let index = 0; index < this.size; index++) {
      const equal = sameResult(this.at(index), other.at(index));
      if (equal !== true) return equal;
    }
    return true;
  }

  #equalsAsSet(other: CelList): boolean {
    const own = new Set(this.json.map(scalarKey));
    for (let index = 0; index < other.size; index++) {
      if (!own.has(valueKey(other.at(index)))) return false;
    }
    return true;
  }

  #equalsAsMap(other: CelList): boolean | CelFailure {
    const own = new Map(this.json.map((element) => [this.#mapKey(element), element]));
    for (let index = 0; index < other.size; index++) {
      const otherValue = other.at(index);
      const key = this.#mapKey(otherValue instanceof CelFailure ? undefined : jsonOf(otherValue));
      if (key === undefined || !own.has(key)) return false;
      const equal = sameResult(this.#read(own.get(key), this.#shape.items), otherValue);
      if (equal !== true) return equal;
    }
    return true;
  }

  // An element that cannot be compared results in an error, unless another element is equal.
  override customContains(value: CelValue): boolean | CelFailure {
    let problem: CelFailure | undefined;
    for (let index = 0; index < this.size; index++) {
      const equal = sameResult(this.at(index), value);
      if (equal === true) return true;
      if (equal instanceof CelFailure) problem ??= equal;
    }
    return problem ?? false;
  }

  override customConcat(other: CelList): CelResult {
    const added = Array.from({ length: other.size }, (_, index) => toJson(other.at(index)));
    switch (this.#shape.listType) {
      case "set":
        return this.#with(this.#union(added));
      case "map":
        return this.#with(this.#merge(added));
      case "atomic":
      case undefined:
    }
    return this.#with([...this.json, ...added]);
  }

  #union(added: readonly unknown[]): unknown[] {
    const seen = new Set(this.json.map(scalarKey));
    const result = [...this.json];
    for (const element of added) {
      const key = scalarKey(element);
      if (seen.has(key)) continue;
      seen.add(key);
      result.push(element);
    }
    return result;
  }

  #merge(added: readonly unknown[]): unknown[] {
    const positions = new Map(this.json.map((element, index) => [this.#mapKey(element), index]));
    const result = [...this.json];
    for (const element of added) {
      const key = this.#mapKey(element);
      const position = key === undefined ? undefined : positions.get(key);
      if (position === undefined) result.push(element);
      else result[position] = element;
    }
    return result;
  }

  #with(json: readonly unknown[]): JsonList {
    return new JsonList(json, this.#shape, this.#read);
  }

  /** Returns the identity of an element of a map list. Like the API server, looks the keys up by their escaped names. */
  #mapKey(element: unknown): string | undefined {
    if (!isJsonObject(element)) return undefined;
    const names = this.#shape.mapKeys ?? [];
    return JSON.stringify(names.map((name) => scalarKey(ownProperty(element, escapeName(name) ?? name))));
  }
}

function sameResult(left: CelResult, right: CelResult): boolean | CelFailure {
  if (left instanceof CelFailure) return left;
  return right instanceof CelFailure ? right : equals(left, right);
}

/**
 * Returns the identity of a JSON scalar as the API server compares members of sets: an integral number is an integer, even in a set
 * of doubles, and a time is a string.
 */
function scalarKey(json: unknown): string {
  if (typeof json === "number" || typeof json === "bigint") {
    return typeof json === "bigint" || Number.isInteger(json) ? `int ${json}` : `double ${json}`;
  }
  return typeof json === "object" && json !== null ? "not a scalar" : `${typeof json} ${String(json)}`;
}

/** Returns the identity of a CEL value in the same form. It matches only JSON of the same type. */
function valueKey(value: CelResult): string {
  if (typeof value === "bigint") return `int ${value}`;
  if (typeof value === "number") return `double ${value}`;
  return typeof value === "object" && value !== null ? "never in a set" : `${typeof value} ${String(value)}`;
}

/** Returns the JSON from which a CEL value was converted; a failure if it was not converted from JSON. */
function toJson(value: CelResult): unknown {
  if (typeof value !== "object" || value === null || value instanceof CelFailure) return value;
  if (value instanceof JsonList || value instanceof DynamicList || value instanceof DynamicMap) return value.json;
  const json = jsonOf(value);
  if (json !== undefined) return json;
  if (value instanceof CelMap) {
    return failure("invalid data, expected a map for the provided schema with type=object");
  }
  if (value instanceof CelTimestamp) return failure("invalid data, expected string, got time.Time");
  if (value instanceof CelDuration) return failure("invalid data, expected string, got time.Duration");
  if (value instanceof Uint8Array) return failure("invalid data, expected string, got []uint8");
  return failure("invalid data, got a value that is not JSON");
}
