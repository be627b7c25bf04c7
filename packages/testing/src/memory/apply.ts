import { applyMergePatch, isEqual, type JsonRecord, type ManagedFieldsEntry, withoutUndefined } from "@homeostat/core";
import { type FieldPath, fromFieldsV1, leavesOf, toFieldsV1, valueAt, without } from "./field-paths.ts";
import { conflict, recordIn } from "./refusal.ts";
import { type AnyObject, isObject, managerEntry } from "./stored-object.ts";

/** Options of {@link applied}. */
export interface ApplyRequest {
  readonly fieldManager: string;
  readonly isForced: boolean;
  readonly subresource: string;
}

/** Paths that identify an object and belong to no field manager. */
const identity: ReadonlySet<string> = new Set(
  [["apiVersion"], ["kind"], ["metadata", "name"], ["metadata", "namespace"], ["metadata", "uid"]].map(String),
);

/**
 * Returns an object after server-side apply: fields of the configuration are set, and fields that the same manager has applied before and now leaves
 * out are removed. Throws a conflict for fields of other managers with other values, unless the request is forced.
 *
 * Unlike in the API server, a list is one field: it is replaced as a whole, also where entries of several managers would be merged.
 */
export function applied(before: AnyObject, config: JsonRecord, request: ApplyRequest): AnyObject {
  const { fieldManager: manager, isForced } = request;
  const key = { manager, operation: "Apply", ...subresourceOf(request) } as const;
  const paths = leavesOf(config).filter((path) => !identity.has(String(path)));
  const others = (before.metadata.managedFields ?? []).filter((entry) => entry !== managerEntry(before, key));
  const isContested = (path: FieldPath): boolean => !isEqual(valueAt(before, path), valueAt(config, path));
  const contested = paths.filter(isContested);
  const causes = others.flatMap((entry) =>
    pathsOf(entry)
      .filter((path) => contested.some((other) => isEqual(other, path)))
      .map((path) => causeOf(entry, path)),
  );
  if (causes.length > 0 && !isForced) {
    const texts = causes.map(({ message, field }) => `${message}: ${field}`).join(", ");
    throw conflict(`Apply failed with ${causes.length} conflict${causes.length === 1 ? "" : "s"}: ${texts}`, causes);
  }
  const isNamed = (path: FieldPath, entries: readonly FieldPath[]): boolean =>
    entries.some((other) => isEqual(other, path));
  let object: JsonRecord = before;
  const formerly = pathsOf(managerEntry(before, key));
  for (const path of formerly) {
    const isKept = isNamed(path, paths) || others.some((entry) => isNamed(path, pathsOf(entry)));
    if (!isKept) object = without(object, path);
  }
  const merged = recordIn(applyMergePatch(object, config));
  const remaining = others.map((entry) => withoutPaths(entry, contested)).filter((entry) => entry !== undefined);
  const own = { ...key, apiVersion: before.apiVersion, fieldsType: "FieldsV1", fieldsV1: toFieldsV1(paths) };
  return withManagers(merged, [own, ...remaining]);
}

/** Returns an object after another write than apply, with the changed fields in the entry of the manager. */
export function updated(before: AnyObject, after: AnyObject, request: Omit<ApplyRequest, "isForced">): AnyObject {
  const key = { manager: request.fieldManager, operation: "Update", ...subresourceOf(request) } as const;
  const changed = leavesOf(after).filter(
    (path) =>
      !isEqual(valueAt(before, path), valueAt(after, path)) &&
      !identity.has(String(path)) &&
      !(path[0] === "metadata" && serverSet.has(path[1] ?? "")),
  );
  const { managedFields = before.metadata.managedFields ?? [] } = after.metadata;
  if (changed.length === 0) return after;
  const own = managerEntry(after, key);
  const others = managedFields
    .filter((entry) => entry !== own)
    .map((entry) => withoutPaths(entry, changed))
    .filter((entry) => entry !== undefined);
  const fieldsV1 = toFieldsV1([...pathsOf(own), ...changed]);
  const entry = { ...key, apiVersion: after.apiVersion, fieldsType: "FieldsV1", fieldsV1 };
  return withManagers(after, [...others, entry]);
}

/** Metadata that the API server sets, which belongs to no manager. */
const serverSet: ReadonlySet<string> = new Set([
  "creationTimestamp",
  "deletionTimestamp",
  "generation",
  "managedFields",
  "resourceVersion",
]);

function subresourceOf({ subresource }: Pick<ApplyRequest, "subresource">): Pick<ManagedFieldsEntry, "subresource"> {
  return withoutUndefined({ subresource: subresource === "" ? undefined : subresource });
}

function pathsOf(entry: ManagedFieldsEntry | undefined): FieldPath[] {
  return entry === undefined ? [] : fromFieldsV1(entry.fieldsV1);
}

/** Returns an entry without some paths; undefined if none is left. */
function withoutPaths(entry: ManagedFieldsEntry, removed: readonly FieldPath[]): ManagedFieldsEntry | undefined {
  const paths = pathsOf(entry);
  const left = paths.filter((path) => !removed.some((other) => isEqual(other, path)));
  if (left.length === paths.length) return entry;
  return left.length === 0 ? undefined : { ...entry, fieldsV1: toFieldsV1(left) };
}

function causeOf(
  { manager = "" }: ManagedFieldsEntry,
  path: FieldPath,
): JsonRecord & Record<"message" | "field", string> {
  return {
    reason: "FieldManagerConflict",
    message: `conflict with ${JSON.stringify(manager)}`,
    field: `.${path.join(".")}`,
  };
}

function withManagers(object: JsonRecord, managedFields: readonly ManagedFieldsEntry[]): AnyObject {
  const sorted = managedFields.toSorted((one, other) => (keyOfEntry(one) < keyOfEntry(other) ? -1 : 1));
  const metadata = { ...recordIn(object["metadata"]), managedFields: sorted };
  const result = { ...object, metadata };
  if (isObject(result)) return result;
  throw conflict("the applied object has no apiVersion or kind");
}

function keyOfEntry({ manager = "", operation = "Update", subresource = "" }: ManagedFieldsEntry): string {
  return `${manager} ${operation} ${subresource}`;
}
