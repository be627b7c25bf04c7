// Strategic merge patch: objects are merged key by key, lists by the key their type names. The patch may carry
// directives, whose names begin with a dollar sign.

import { deepClone, isList, isRecord, type JsonRecord, ownValue, safeSet } from "@homeostat/core";
import type { GoType, StructType } from "../codec/type-table.ts";
import { ServerPatchError } from "./patch-failure.ts";
import { metadataForList, metadataForMap } from "./patch-metadata.ts";
import { badDirective, withoutDirectives } from "./strategic-directives.ts";
import { applyElementOrder, mergeLists } from "./strategic-lists.ts";
import { goTypeName } from "./strategic-order.ts";

const deletePrefix = "$deleteFromPrimitiveList";
const orderPrefix = "$setElementOrder";

/**
 * Applies a strategic merge patch to an object of a built-in kind and returns the result; neither is changed.
 *
 * The result is as the merge leaves it: unknown keys and values of another type are found by whoever reads it next.
 * Throws a {@link ServerPatchError}.
 */
export function applyStrategicPatch(
  type: StructType,
  object: Readonly<JsonRecord>,
  patch: Readonly<JsonRecord>,
): JsonRecord {
  return mergeMaps(deepClone({ ...object }), deepClone({ ...patch }), type);
}

/** Merges a patch into an object, changing both, and answers the result. */
export function mergeMaps(original: JsonRecord, patch: JsonRecord, type: GoType): JsonRecord {
  if (Object.hasOwn(patch, "$patch")) return wholeDirective(patch);
  retainKeys(original, patch);
  for (const key of Object.keys(patch)) {
    if (!key.startsWith(orderPrefix) || !Object.hasOwn(patch, key)) continue;
    const order = patch[key];
    delete patch[key];
    applyElementOrder({ original, patch, order, directive: key, type, mergeMaps });
  }
  for (const key of Object.keys(patch)) mergeKey(original, patch, key, type);
  return original;
}

function wholeDirective(patch: JsonRecord): JsonRecord {
  const directive = patch["$patch"];
  if (directive === "replace") {
    delete patch["$patch"];
    return patch;
  }
  if (directive === "delete") return {};
  throw badDirective(directive, patch);
}

/** `$retainKeys` clears what it does not name, and must name what the patch sets. */
function retainKeys(original: JsonRecord, patch: JsonRecord): void {
  if (!Object.hasOwn(patch, "$retainKeys")) return;
  const list = patch["$retainKeys"];
  delete patch["$retainKeys"];
  if (!isList(list)) throw badRetainKeys();
  const retained = new Set(list);
  for (const key of Object.keys(patch)) {
    const isDirective = key.startsWith(deletePrefix) || key.startsWith(orderPrefix);
    if (patch[key] !== null && !isDirective && !retained.has(key)) throw badRetainKeys();
  }
  for (const key of Object.keys(original)) if (!retained.has(key)) delete original[key];
}

function badRetainKeys(): ServerPatchError {
  return new ServerPatchError("malformed", "invalid patch format of retainKeys");
}

function mergeKey(original: JsonRecord, patch: JsonRecord, patchKey: string, type: GoType): void {
  const value = patch[patchKey];
  const isDeletion = patchKey.startsWith(deletePrefix);
  const key = isDeletion ? directiveKey(patchKey, deletePrefix, "primitive list") : patchKey;
  if (value === null) {
    delete original[key];
    return;
  }
  const known = ownValue(original, key);
  if (known === undefined || !isSameType(known, value)) {
    if (!isDeletion) setWithoutDirectives(original, key, value);
    return;
  }
  if (isRecord(known) && isRecord(value)) {
    const metadata = metadataForMap(type, key);
    safeSet(original, key, metadata.strategy === "replace" ? value : mergeMaps(known, value, metadata.type));
  } else if (isList(known) && isList(value)) {
    const metadata = metadataForList(type, key);
    const isMerged = metadata.strategy === "merge" || isDeletion;
    safeSet(original, key, isMerged ? mergeLists([...known], [...value], { metadata, isDeletion, mergeMaps }) : value);
  } else safeSet(original, key, value);
}

/** The key that a directive such as `$setElementOrder/containers` is about. */
export function directiveKey(text: string, prefix: string, what: string): string {
  const slash = text.indexOf("/");
  if (slash >= 0 && text.slice(0, slash) === prefix) return text.slice(slash + 1);
  throw new ServerPatchError("malformed", `invalid patch format of ${what}`);
}

function isSameType(a: unknown, b: unknown): boolean {
  if (a === null) return false;
  return goTypeName(a) === goTypeName(b);
}

function setWithoutDirectives(original: JsonRecord, key: string, value: unknown): void {
  discardNulls(value);
  const kept = withoutDirectives(value);
  if (kept === undefined) delete original[key];
  else safeSet(original, key, kept);
}

/** Takes keys that are `null` out of an object and of all objects in it. */
function discardNulls(value: unknown): void {
  if (isList(value)) value.forEach(discardNulls);
  else if (isRecord(value)) {
    for (const key of Object.keys(value)) {
      if (value[key] === null) delete value[key];
      else discardNulls(value[key]);
    }
  }
}
