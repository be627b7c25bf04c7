// Objects are created with POST, because only POST is rejected when the name is taken; server-side apply would merge into an object of
// another owner. The API server records the fields of a POST under the operation Update, and an apply never removes fields that another entry
// owns. So before the first apply, the Update entry is merged into the Apply entry, as kubectl does when it migrates to server-side apply
// (csaupgrade in client-go).

import {
  type DeepReadonly,
  isRecord,
  type JsonPatchOperation,
  type JsonRecord,
  type KubeObject,
  ownValue,
  safeSet,
} from "@homeostat/core";

type Entry = NonNullable<DeepReadonly<KubeObject>["metadata"]["managedFields"]>[number];

/**
 * Returns the patch that moves the fields of a manager's Update entry to its Apply entry; undefined when there is no Update entry.
 *
 * The patch is conditional on the resource version of the object.
 */
export function upgradePatch(
  object: DeepReadonly<KubeObject>,
  manager: string,
): readonly JsonPatchOperation[] | undefined {
  const { managedFields = [], resourceVersion } = object.metadata;
  const created = managedFields.find((entry) => isOf(entry, manager, "Update"));
  if (created === undefined) return undefined;
  const applied = managedFields.find((entry) => isOf(entry, manager, "Apply"));
  const merged =
    applied === undefined
      ? { ...created, operation: "Apply" }
      : { ...applied, fieldsV1: union(applied.fieldsV1, created.fieldsV1) };
  const others = managedFields.filter((entry) => entry !== created && entry !== applied);
  // Not a `test` operation: if that fails, the API server answers 422 as for an invalid object, which is not retried. A resource version
  // that is not the current one is a conflict (409).
  return [
    { op: "replace", path: "/metadata/managedFields", value: [merged, ...others] },
    { op: "replace", path: "/metadata/resourceVersion", value: resourceVersion },
  ];
}

function isOf(entry: Entry, manager: string, operation: "Update" | "Apply"): boolean {
  return entry.manager === manager && entry.operation === operation && (entry.subresource ?? "") === "";
}

/** Merges two sets of fields in the form of FieldsV1: maps of maps. */
function union(left: unknown, right: unknown): JsonRecord {
  const result: JsonRecord = isRecord(left) ? { ...left } : {};
  if (!isRecord(right)) return result;
  for (const key of Object.keys(right)) {
    const [mine, theirs] = [ownValue(result, key), ownValue(right, key)];
    safeSet(result, key, isRecord(mine) && isRecord(theirs) ? union(mine, theirs) : (mine ?? theirs));
  }
  return result;
}
