// Applies the result of a mutation expression to an object.

import { CelList, CelMap, type CelValue, elementsOf } from "@homeostat/cel";
import { isRecord, type JsonRecord } from "@homeostat/core";
import { checkValue, problemsText } from "../../apply/check-value.ts";
import { mergeValues } from "../../apply/merge-values.ts";
import type { MergeType } from "../../apply/merge-type.ts";
import { convertTyped } from "../../codec/convert-typed.ts";
import { DecodeError } from "../../codec/decode-error.ts";
import { decodeRequestObject, typeOfKind } from "../../codec/request-object.ts";
import { applyServerJsonPatch } from "../../patch/json-patch.ts";
import { ServerPatchError } from "../../patch/patch-failure.ts";
import type { ServedKind } from "../../resources/served-kind.ts";
import { internalErrorStatus } from "../../status/refusals.ts";
import { StatusError } from "../../status/status.ts";
import { jsonOf, misnamedParts, NoJsonForm } from "../../admission/cel/value-to-json.ts";
import { atomicPaths } from "./atomic-paths.ts";

/** Error of a mutation, in the words of the real server. The failure policy decides whether it refuses the request. */
export class MutationFailure extends Error {}

/**
 * Applies a JSON Patch. Returns the same object if a `test` operation failed: the mutation is then skipped.
 *
 * @throws MutationFailure if the patch is invalid.
 * @throws StatusError if the result is not a valid object of its kind.
 */
export function applyJsonPatch(operations: CelValue, object: JsonRecord, kind: ServedKind): JsonRecord {
  const list = operations instanceof CelList ? elementsOf(operations) : [];
  const patch = list.map((each) => operationOf(each instanceof CelMap ? each : undefined));
  let patched: unknown;
  try {
    patched = applyServerJsonPatch(object, JSON.stringify(patch, bigintText));
  } catch (error) {
    if (!(error instanceof ServerPatchError)) throw error;
    if (error.message.endsWith(": test failed")) return object;
    throw new MutationFailure(`JSON Patch: ${error.message}`, { cause: error });
  }
  const result = isRecord(patched) ? patched : {};
  if (!kind.resource.isCustom) checkDecodes(result, kind);
  return result;
}

/** Integers beyond the safe range of JavaScript are sent as strings, as protobuf represents them in JSON. */
function bigintText(_: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}

function operationOf(operation: CelMap | undefined): JsonRecord {
  const text = (field: string): string => {
    const found = operation?.find(field);
    return typeof found === "string" ? found : "";
  };
  const [from, value] = [text("from"), operation?.find("value")];
  const result: JsonRecord = { op: text("op"), path: text("path"), ...(from === "" ? {} : { from }) };
  if (value === undefined) return result;
  const [root = ""] = misnamedRoots(value);
  if (root !== "") throw new MutationFailure(`type mismatch: ${root}`);
  try {
    return { ...result, value: jsonOf(value) };
  } catch (error) {
    if (!(error instanceof NoJsonForm)) throw error;
    const why = "JSONPath valueExpression evaluated to a type that could not marshal to JSON";
    throw new MutationFailure(`${why}: ${error.message}`, { cause: error });
  }
}

/**
 * Checks type names inside the value of an operation. The value itself may be any part of an object, so its own type
 * name is the root.
 */
function misnamedRoots(value: Parameters<typeof misnamedParts>[0]): string[] {
  const name = value instanceof CelMap && "typeName" in value ? String(value.typeName) : undefined;
  const found = name === undefined ? [] : misnamedParts(value, name);
  return found.length === 0 ? [] : [found.join("\n")];
}

/**
 * Checks that an object decodes as its kind.
 *
 * @throws StatusError if it does not, or if it has unknown fields.
 */
function checkDecodes(object: JsonRecord, { resource }: ServedKind): void {
  const { group, version, kind } = resource;
  const expected = { apiVersion: group === "" ? version : `${group}/${version}`, kind };
  try {
    const { strictErrors } = decodeRequestObject(JSON.stringify(object, bigintText), expected);
    if (strictErrors.length === 0) return;
    throw new StatusError(internalErrorStatus(`strict decoding error: ${strictErrors.join(", ")}`));
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new StatusError(internalErrorStatus(error.message), { cause: error });
  }
}

/**
 * Merges an apply configuration into the object.
 *
 * @throws MutationFailure if the configuration does not match the schema or contains atomic values.
 */
export function applyConfiguration(configuration: CelValue, object: JsonRecord, kind: ServedKind): JsonRecord {
  const misnamed = misnamedParts(configuration, "Object");
  if (misnamed.length > 0) throw new MutationFailure(`type mismatch: ${misnamed.join("\n")}`);
  const config = { ...recordOf(configuration), apiVersion: object["apiVersion"], kind: object["kind"] };
  const type = kind.fieldManager("").mergeType;
  if (type === undefined) return object;
  const fail = (why: string): never => {
    throw new MutationFailure(`error applying patch: ${why}`);
  };
  const problems = checkValue(type, config);
  if (problems.length > 0) fail(`failed to convert patch object to typed object: ${problemsText(problems)}`);
  const atomics = atomicPaths(type, config);
  if (atomics.length > 0) {
    fail(`invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${atomics.join(", ")}`);
  }
  return toTyped(mergeInto(type, object, config), kind);
}

function recordOf(configuration: CelValue): JsonRecord {
  try {
    const result = jsonOf(configuration);
    return isRecord(result) ? result : {};
  } catch (error) {
    if (!(error instanceof NoJsonForm)) throw error;
    throw new MutationFailure(error.message, { cause: error });
  }
}

function mergeInto(type: MergeType, object: JsonRecord, config: JsonRecord): JsonRecord {
  const result = mergeValues(type, object, config);
  return isRecord(result) ? result : object;
}

function toTyped(object: JsonRecord, { resource }: ServedKind): JsonRecord {
  if (resource.isCustom) return object;
  const { group, version, kind } = resource;
  const apiVersion = group === "" ? version : `${group}/${version}`;
  try {
    const { object: result } = convertTyped(typeOfKind({ apiVersion, kind }), object);
    return { ...result, kind, apiVersion };
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new MutationFailure(error.message, { cause: error });
  }
}
