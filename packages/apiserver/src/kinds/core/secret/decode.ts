import { deepClone, isRecord, type JsonRecord, safeSet } from "@homeostat/core";
import { entriesAt } from "../../../values/fields.ts";
import { partOf } from "../../defaulting/fill.ts";

/** Returns a Secret with `stringData` moved into `data`. */
export function decodeSecret(object: JsonRecord): JsonRecord {
  if (!isRecord(object["stringData"])) return object;
  const copy = deepClone(object);
  decodeSecretStrings(copy);
  return copy;
}

/** Moves, in place, `stringData` of a Secret into `data`, where it replaces equal keys. */
export function decodeSecretStrings(secret: JsonRecord): void {
  if (!isRecord(secret["stringData"])) return;
  const data = partOf(secret, "data");
  for (const [key, text] of entriesAt(secret, "stringData")) {
    safeSet(data, key, Buffer.from(String(text), "utf8").toString("base64"));
  }
  delete secret["stringData"];
}
