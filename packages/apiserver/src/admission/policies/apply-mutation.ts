// What the value of a mutation's expression does to an object.

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
import type { ServedKind } from "../../registry/served-kind.ts";
import { internalErrorStatus } from "../../status/refusals.ts";
import { StatusError } from "../../status/status.ts";
import { jsonOf, misnamedParts, NoJsonForm } from "../cel/made-value.ts";
import { atomicPaths } from "./atomic-paths.ts";

/** Why a mutation was not made, in the words of the real server. */
export class MutationFailure extends Error {}

/**
 * The object after the operations of a JSON patch; the same object when one of them was a test that failed.
 *
 * Throws a {@link MutationFailure}, or a `StatusError` when what came of it is no object of its kind.
 */
export function patchedObject(operations: CelValue, object: JsonRecord, kind: ServedKind): JsonRecord {
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
  const made = isRecord(patched) ? patched : {};
  if (!kind.resource.isCustom) checkDecodes(made, kind);
  return made;
}

/** Numbers beyond those of JavaScript reach the server as texts, as protobuf has them in JSON. */
function bigintText(_: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}

function operationOf(operation: CelMap | undefined): JsonRecord {
  const text = (field: string): string => {
    const found = operation?.find(field);
    return typeof found === "string" ? found : "";
  };
  const [from, value] = [text("from"), operation?.find("value")];
  const made: JsonRecord = { op: text("op"), path: text("path"), ...(from === "" ? {} : { from }) };
  if (value === undefined) return made;
  const [root = ""] = misnamedRoots(value);
  if (root !== "") throw new MutationFailure(`type mismatch: ${root}`);
  try {
    return { ...made, value: jsonOf(value) };
  } catch (error) {
    if (!(error instanceof NoJsonForm)) throw error;
    const why = "JSONPath valueExpression evaluated to a type that could not marshal to JSON";
    throw new MutationFailure(`${why}: ${error.message}`, { cause: error });
  }
}

/** The value of an operation may begin anywhere in an object; only what is within it has to fit. */
function misnamedRoots(value: Parameters<typeof misnamedParts>[0]): string[] {
  const name = value instanceof CelMap && "typeName" in value ? String(value.typeName) : undefined;
  const found = name === undefined ? [] : misnamedParts(value, name);
  return found.length === 0 ? [] : [found.join("\n")];
}

/** Throws a `StatusError` when an object cannot be read as its kind, or has fields that the kind does not know. */
function checkDecodes(object: JsonRecord, { resource }: ServedKind): void {
  const { group, version, kind } = resource;
  const expected = { apiVersion: group === "" ? version : `${group}/${version}`, kind };
  try {
    const { complaints } = decodeRequestObject(JSON.stringify(object, bigintText), expected);
    if (complaints.length === 0) return;
    throw new StatusError(internalErrorStatus(`strict decoding error: ${complaints.join(", ")}`));
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new StatusError(internalErrorStatus(error.message), { cause: error });
  }
}

/** The object with a configuration laid over it. Throws a {@link MutationFailure}. */
export function configuredObject(configuration: CelValue, object: JsonRecord, kind: ServedKind): JsonRecord {
  const misnamed = misnamedParts(configuration, "Object");
  if (misnamed.length > 0) throw new MutationFailure(`type mismatch: ${misnamed.join("\n")}`);
  const laid = { ...recordOf(configuration), apiVersion: object["apiVersion"], kind: object["kind"] };
  const type = kind.fieldManager("").mergeType;
  if (type === undefined) return object;
  const fail = (why: string): never => {
    throw new MutationFailure(`error applying patch: ${why}`);
  };
  const problems = checkValue(type, laid);
  if (problems.length > 0) fail(`failed to convert patch object to typed object: ${problemsText(problems)}`);
  const atomics = atomicPaths(type, laid);
  if (atomics.length > 0) {
    fail(`invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${atomics.join(", ")}`);
  }
  return typed(merged(type, object, laid), kind);
}

function recordOf(configuration: CelValue): JsonRecord {
  try {
    const made = jsonOf(configuration);
    return isRecord(made) ? made : {};
  } catch (error) {
    if (!(error instanceof NoJsonForm)) throw error;
    throw new MutationFailure(error.message, { cause: error });
  }
}

function merged(type: MergeType, object: JsonRecord, laid: JsonRecord): JsonRecord {
  const made = mergeValues(type, object, laid);
  return isRecord(made) ? made : object;
}

function typed(object: JsonRecord, { resource }: ServedKind): JsonRecord {
  if (resource.isCustom) return object;
  const { group, version, kind } = resource;
  const apiVersion = group === "" ? version : `${group}/${version}`;
  try {
    const { object: made } = convertTyped(typeOfKind({ apiVersion, kind }), object);
    return { ...made, kind, apiVersion };
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new MutationFailure(error.message, { cause: error });
  }
}
