import { CelFailure, failure } from "../failure.ts";
import type { CelResult } from "../values/value.ts";
import { readBase64, readDate, readDateTime, readDuration } from "./formats.ts";
import { jsonTypeName } from "./json-equal.ts";
import { readDynamic } from "./dynamic.ts";
import { JsonList } from "./json-list.ts";
import { JsonMap, JsonObject } from "./json-map.ts";
import { isIntegerNumber, isJsonObject } from "./json.ts";
import { PreservedValue } from "./preserved.ts";
import type { JsonShape, ScalarShape } from "./shape.ts";
import { dynShape } from "./shape.ts";

/**
 * Converts JSON to a CEL value according to its shape.
 *
 * Lists and objects are wrapped, not copied: their parts are converted when an expression accesses them, so the JSON must not change
 * in the meantime. Data that does not match its shape results in a failure on access. Numbers may be `bigint`.
 */
export function fromJson(json: unknown, shape: JsonShape = dynShape): CelResult {
  // A list can contain failures: `+` puts them there for elements that cannot be converted to JSON.
  if (json instanceof CelFailure) return json;
  if (json === null || json === undefined) {
    const allowed = shape.nullable === true || shape.kind === "dyn";
    return allowed ? null : failure("invalid data, got null for schema with nullable=false");
  }
  if (shape.kind === "object") {
    return isJsonObject(json) ? new JsonObject(json, shape, fromJson) : notAn("a map", "object");
  }
  if (shape.kind === "map") return isJsonObject(json) ? new JsonMap(json, shape, fromJson) : notAn("a map", "object");
  if (shape.kind === "list")
    return Array.isArray(json) ? new JsonList(json, shape, fromJson) : notAn("an array", "array");
  return readScalar(json, shape);
}

function notAn(article: string, type: string): CelFailure {
  return failure(`invalid data, expected ${article} for the provided schema with type=${type}`);
}

function readScalar(json: unknown, shape: ScalarShape): CelResult {
  switch (shape.kind) {
    case "bool":
      return typeof json === "boolean" ? json : unexpected("bool", json);
    case "int":
      return isIntegerNumber(json) ? BigInt(json) : unexpected("int", json);
    case "double":
      return typeof json === "number" || typeof json === "bigint" ? Number(json) : unexpected("float", json);
    case "intOrString":
      if (typeof json === "string") return json;
      return isIntegerNumber(json)
        ? BigInt(json)
        : failure("invalid data, expected XIntOrString value to be either a string or integer");
    case "dyn":
      return readDynamic(json);
    case "preserved":
      return new PreservedValue(json);
    case "string":
    case "bytes":
    case "timestamp":
    case "date":
    case "duration":
  }
  return typeof json === "string" ? readText(json, shape.kind) : unexpected("string", json);
}

function readText(text: string, kind: "string" | "bytes" | "timestamp" | "date" | "duration"): CelResult {
  switch (kind) {
    case "string":
      return text;
    case "bytes":
      return readBase64(text);
    case "timestamp":
      return readDateTime(text);
    case "date":
      return readDate(text);
    case "duration":
  }
  return readDuration(text);
}

function unexpected(expected: string, json: unknown): CelFailure {
  return failure(`invalid data, expected ${expected}, got ${jsonTypeName(json)}`);
}
