// Converts CEL values that expressions constructed to JSON.

import {
  CelDuration,
  CelFailure,
  CelList,
  CelMap,
  type CelResult,
  CelStruct,
  CelTimestamp,
  CelUint,
  elementsOf,
  formatValue,
  typeNameOf,
} from "@homeostat/cel";
import { type JsonRecord, safeSet } from "@homeostat/core";

/** Thrown if a CEL value cannot be represented in JSON. */
export class NoJsonForm extends Error {}

/**
 * Converts a CEL value to JSON.
 *
 * @throws NoJsonForm if the value cannot be represented.
 */
export function jsonOf(value: CelResult): unknown {
  if (value === null || typeof value === "boolean" || typeof value === "number" || typeof value === "string")
    return value;
  if (typeof value === "bigint") return numberOf(value);
  if (value instanceof CelUint) return numberOf(value.value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (value instanceof CelTimestamp || value instanceof CelDuration) return formatValue(value);
  if (value instanceof CelList) return elementsOf(value).map(jsonOf);
  if (value instanceof CelMap) return recordOf(value);
  if (value instanceof CelFailure) throw new NoJsonForm(value.message);
  throw new NoJsonForm(`unsupported type conversion from '${typeNameOf(value)}' to google.protobuf.Value`);
}

function numberOf(value: bigint): number | bigint {
  const near = Number(value);
  return Number.isSafeInteger(near) ? near : value;
}

function recordOf(map: CelMap): JsonRecord {
  const record: JsonRecord = {};
  for (const key of map.keys()) {
    if (typeof key !== "string") {
      throw new NoJsonForm(`map key ${JSON.stringify(formatValue(key))} is of type ${typeNameOf(key)}, not string`);
    }
    safeSet(record, key, jsonOf(map.find(key) ?? null));
  }
  return record;
}

/**
 * Returns a message of the real server for each constructed object whose type name does not match its field path.
 *
 * `Object{spec: Object.status{}}` type-checks, but puts fields of the status into the spec.
 */
export function misnamedParts(value: CelResult, path: string): string[] {
  if (value instanceof CelList) return elementsOf(value).flatMap((each) => misnamedParts(each, path));
  if (!(value instanceof CelMap)) return [];
  const isStruct = value instanceof CelStruct;
  const own =
    isStruct && value.typeName !== path
      ? [
          `unexpected type name ${JSON.stringify(value.typeName)}, expected ${JSON.stringify(path)}, which matches field name path from root Object type`,
        ]
      : [];
  const parts = value.keys().flatMap((key) => {
    const part = value.find(key);
    return part === undefined ? [] : misnamedParts(part, isStruct ? `${path}.${formatValue(key)}` : path);
  });
  return [...own, ...parts];
}
