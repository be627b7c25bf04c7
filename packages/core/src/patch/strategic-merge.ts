// Strategic merge patch: objects are merged key by key, lists by the merge key of their type. A patch may contain
// directives, whose names begin with a dollar sign.

import { deepClone } from "../value/clone.ts";
import { isList, isRecord, type JsonRecord, ownValue, safeSet } from "../value/record.ts";
import { badDirective, withoutDirectives } from "./strategic-directives.ts";
import { StrategicPatchError } from "./strategic-error.ts";
import { applyElementOrder, mergeLists } from "./strategic-lists.ts";
import { goTypeName } from "./strategic-order.ts";
import type { StrategicType } from "./strategic-type.ts";

const deletePrefix = "$deleteFromPrimitiveList";
const orderPrefix = "$setElementOrder";

/**
 * Applies a strategic merge patch to an object of a built-in kind and returns the result. Neither argument is changed.
 *
 * The result is not validated: unknown keys and values of another type are found when it is decoded. Recurses, so the
 * caller limits the depth of a patch that it does not trust. Throws a {@link StrategicPatchError} with the path in the
 * patch.
 */
export function applyStrategicMergePatch(
  object: Readonly<JsonRecord>,
  patch: Readonly<JsonRecord>,
  type: StrategicType,
): JsonRecord {
  return mergeMaps(deepClone({ ...object }), deepClone({ ...patch }), type);
}

/** Merges a patch into an object and returns the result. Changes both arguments. */
function mergeMaps(original: JsonRecord, patch: JsonRecord, type: StrategicType): JsonRecord {
  if (Object.hasOwn(patch, "$patch")) return applyPatchDirective(patch);
  retainKeys(original, patch);
  for (const key of Object.keys(patch)) {
    if (!key.startsWith(orderPrefix) || !Object.hasOwn(patch, key)) continue;
    const order = patch[key];
    delete patch[key];
    within(key, () => applyElementOrder({ original, patch, order, directive: key, type, mergeMaps }));
  }
  for (const key of Object.keys(patch)) within(key, () => mergeKey(original, patch, key, type));
  return original;
}

/** Merges one key of a patch; an error gets the key as a step of its path. */
function within(key: string, merge: () => void): void {
  try {
    merge();
  } catch (error) {
    throw error instanceof StrategicPatchError ? error.within(key) : error;
  }
}

function applyPatchDirective(patch: JsonRecord): JsonRecord {
  const directive = patch["$patch"];
  if (directive === "replace") {
    delete patch["$patch"];
    return patch;
  }
  if (directive === "delete") return {};
  throw badDirective(directive, patch);
}

/** Applies `$retainKeys`: deletes all keys that it does not list. It must list every key that the patch sets. */
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

function badRetainKeys(): StrategicPatchError {
  return new StrategicPatchError("malformed", ["invalid patch format of retainKeys"]);
}

function mergeKey(original: JsonRecord, patch: JsonRecord, patchKey: string, type: StrategicType): void {
  const value = patch[patchKey];
  const isDeletion = patchKey.startsWith(deletePrefix);
  const key = isDeletion ? directiveKey(patchKey, deletePrefix, "primitive list") : patchKey;
  if (value === null) {
    delete original[key];
    return;
  }
  const existing = ownValue(original, key);
  if (existing === undefined || !isSameType(existing, value)) {
    if (!isDeletion) setWithoutDirectives(original, key, value);
    return;
  }
  if (isRecord(existing) && isRecord(value)) {
    const metadata = type.objectField(key);
    safeSet(original, key, metadata.strategy === "replace" ? value : mergeMaps(existing, value, metadata.type));
  } else if (isList(existing) && isList(value)) {
    const metadata = type.listField(key);
    const isMerged = metadata.strategy === "merge" || isDeletion;
    safeSet(
      original,
      key,
      isMerged ? mergeLists([...existing], [...value], { metadata, isDeletion, mergeMaps }) : value,
    );
  } else safeSet(original, key, value);
}

/** Returns the key in a directive such as `$setElementOrder/containers`. */
function directiveKey(text: string, prefix: string, what: string): string {
  const slash = text.indexOf("/");
  if (slash >= 0 && text.slice(0, slash) === prefix) return text.slice(slash + 1);
  throw new StrategicPatchError("malformed", [`invalid patch format of ${what}`]);
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

/** Deletes keys that are `null` from an object and all objects in it. */
function discardNulls(value: unknown): void {
  if (isList(value)) value.forEach(discardNulls);
  else if (isRecord(value)) {
    for (const key of Object.keys(value)) {
      if (value[key] === null) delete value[key];
      else discardNulls(value[key]);
    }
  }
}
