import { failure } from "../failure.ts";
import { CelList, CelMap, type CelResult, type CelValue } from "../values/value.ts";
import { isIntegerNumber, isJsonObject, type JsonObjectData } from "./json.ts";

/** Converts any JSON to a value: integers to int, other numbers to double. */
export function readDynamic(json: unknown): CelResult {
  if (json === null || json === undefined) return null;
  if (typeof json === "string" || typeof json === "boolean" || typeof json === "bigint") return json;
  if (typeof json === "number") return isIntegerNumber(json) ? BigInt(json) : json;
  if (Array.isArray(json)) return new DynamicList(json);
  if (isJsonObject(json)) return new DynamicMap(json);
  return failure(`unsupported conversion to ref.Val: (${typeof json})`);
}

/** A JSON array without a schema. */
export class DynamicList extends CelList {
  readonly json: readonly unknown[];

  constructor(json: readonly unknown[]) {
    super();
    this.json = json;
  }

  override get size(): number {
    return this.json.length;
  }

  override at(index: number): CelResult {
    return readDynamic(this.json[index]);
  }
}

/** A JSON object without a schema. */
export class DynamicMap extends CelMap {
  readonly json: JsonObjectData;

  constructor(json: JsonObjectData) {
    super();
    this.json = json;
  }

  override get size(): number {
    return Object.keys(this.json).length;
  }

  override find(key: CelValue): CelResult | undefined {
    return typeof key === "string" && Object.hasOwn(this.json, key) ? readDynamic(this.json[key]) : undefined;
  }

  override keys(): readonly CelValue[] {
    return Object.keys(this.json);
  }
}
