import { isEqual, isRecord } from "@homeostat/core";
import { compareTyped, withoutFields } from "./compare-values.ts";
import type { Conflict } from "./conflicts.ts";
import { FieldSet } from "./field-set.ts";
import { adaptToSchema } from "./adapt-to-schema.ts";
import type { ManagerEntry, Managers } from "./managers.ts";
import type { MergeType } from "./merge-type.ts";
import { mergeValues } from "./merge-values.ts";
import { ownFields, withStructs } from "./own-fields.ts";
import { removeFields } from "./remove-fields.ts";
import type { ResetFields } from "./reset-fields.ts";
import { type TypedObject, typedObject, type Versions } from "./typed-object.ts";
import { ApplyFault, withErrorPrefix } from "./apply-fault.ts";

/** The versions of a kind and the fields an endpoint ignores: all that ownership changes depend on. */
export interface OwnershipRules {
  readonly versions: Versions;
  readonly resetFields: ResetFields;
}

/** Result of an update. */
export interface Updated {
  readonly managers: Managers;
  /** The fields that the client changed or added, and so owns now. */
  readonly taken: FieldSet;
}

/** Result of merging a configuration into an object. */
export type ApplyOutcome =
  | {
      readonly managers: Managers;
      readonly value: unknown;
      readonly isChanged: boolean;
      readonly conflicts?: undefined;
    }
  | { readonly conflicts: readonly Conflict[] };

/** An apply by one manager. */
export interface OwnershipApply {
  readonly live: TypedObject;
  readonly config: TypedObject;
  readonly managers: Managers;
  /** Key of the applying manager, see `identityText`. */
  readonly identity: string;
  /** New entry of the applying manager, without its fields. */
  readonly entry: Omit<ManagerEntry, "set">;
  readonly force: boolean;
}

/**
 * Transfers ownership after an update: changed and added fields are taken from all managers (the caller gives them to
 * the client), removed fields are forgotten.
 */
export function updateOwnership(
  rules: OwnershipRules,
  { live, object, managers }: { live: TypedObject; object: TypedObject; managers: Managers },
): Updated {
  const adapted = adaptManagers(rules, live, managers);
  const change = new Change(rules, live, object);
  const taken = change.in(object.apiVersion)?.changed ?? FieldSet.empty;
  const kept = takeFromOthers(change, adapted, undefined);
  const hidden = rules.resetFields.get(object.apiVersion) ?? FieldSet.empty;
  return { managers: kept.managers, taken: taken.differenceDeep(hidden) };
}

/**
 * Merges a configuration into an object and transfers ownership.
 *
 * 1. The manager's new set is every field of the configuration.
 * 2. The configuration is merged into the live object.
 * 3. Fields in the manager's previous set that are in no manager's set now are pruned.
 * 4. Live and new object are compared in each manager's version. A changed field in another manager's set is a conflict.
 *
 * Conflicts are computed from the actual change, so applying the value that a field already has never conflicts. With
 * `force` the other managers lose the fields instead.
 */
export function applyOwnership(rules: OwnershipRules, application: OwnershipApply): ApplyOutcome {
  const { live, config, identity, entry, force } = application;
  const before = adaptManagers(rules, live, application.managers);
  const last = before.get(identity);
  const hidden = rules.resetFields.get(live.apiVersion) ?? FieldSet.empty;
  const set = ownFields(config.type, config.value).differenceDeep(hidden);
  const managers = new Map(before).set(identity, { ...entry, set });
  const merged = { ...live, value: mergeValues(live.type, live.value, config.value) ?? null };
  const hadFields = last !== undefined && !last.set.isEmpty;
  const pruned = hadFields
    ? withErrorPrefix("failed to prune fields", () => prune(rules, merged, managers, last))
    : merged;
  const change = new Change(rules, live, pruned);
  // Compare even if there is no other manager: an object that cannot be compared must fail the apply.
  change.in(live.apiVersion);
  const after = takeFromOthers(change, managers, identity);
  if (!force && after.conflicts.length > 0) return { conflicts: after.conflicts };
  return { managers: after.managers, value: pruned.value, isChanged: !isEqual(live.value, pruned.value) };
}

/** The changes in one version: fields that were added or modified, and fields that were removed. */
interface Changed {
  readonly changed: FieldSet;
  readonly removed: FieldSet;
}

/** The difference between two objects, computed on demand in each version that managers own fields in. */
class Change {
  readonly #rules: OwnershipRules;
  readonly #older: TypedObject;
  readonly #newer: TypedObject;
  readonly #byVersion = new Map<string, Changed | undefined>();

  constructor(rules: OwnershipRules, older: TypedObject, newer: TypedObject) {
    this.#rules = rules;
    this.#older = older;
    this.#newer = newer;
  }

  /** Returns the difference in a version, or `undefined` if the version is no longer served. */
  in(apiVersion: string): Changed | undefined {
    if (this.#byVersion.has(apiVersion)) return this.#byVersion.get(apiVersion);
    const comparison = this.#compare(apiVersion);
    this.#byVersion.set(apiVersion, comparison);
    return comparison;
  }

  #compare(apiVersion: string): Changed | undefined {
    const { versions } = this.#rules;
    const older = withErrorPrefix("failed to convert old object", () => convert(versions, this.#older, apiVersion));
    const newer = withErrorPrefix("failed to convert new object", () => convert(versions, this.#newer, apiVersion));
    if (older === undefined || newer === undefined) return undefined;
    const comparison = withErrorPrefix("failed to compare objects", () =>
      compareTyped(newer.type, older.value, newer.value),
    );
    const { modified, added, removed } = withoutFields(comparison, this.#rules.resetFields.get(apiVersion));
    return { changed: modified.union(added), removed };
  }
}

/**
 * Removes the changed and removed fields from the sets of all managers except the applying one, and reports the changed
 * ones as conflicts. Managers of versions that no longer exist, and managers left without fields, are dropped.
 */
function takeFromOthers(
  change: Change,
  managers: Managers,
  applier: string | undefined,
): { managers: Managers; conflicts: Conflict[] } {
  const kept = new Map<string, ManagerEntry>();
  const conflicts: Conflict[] = [];
  for (const [identity, manager] of managers) {
    let { set } = manager;
    if (identity !== applier) {
      const here = change.in(manager.apiVersion);
      if (here === undefined) continue;
      const disputed = set.intersection(here.changed);
      if (!disputed.isEmpty) conflicts.push({ manager, paths: [...disputed.paths()] });
      set = set.difference(disputed).difference(here.removed);
    }
    if (!set.isEmpty) kept.set(identity, { ...manager, set });
  }
  return { managers: kept, conflicts };
}

/** Converts an object to another version. Returns `undefined` if the version no longer exists. */
function convert(versions: Versions, object: TypedObject, apiVersion: string): TypedObject | undefined {
  if (object.apiVersion === apiVersion) return object;
  if (!isRecord(object.value)) {
    throw new ApplyFault("failed to convert value to unstructured for type <nil>");
  }
  const converted = versions.convert(object.value, apiVersion);
  if (converted === "unknown version") return undefined;
  if ("problem" in converted) throw new ApplyFault(converted.problem);
  const type = versions.typeOf(apiVersion);
  return type === undefined ? undefined : typedObject({ apiVersion, type, value: converted.object });
}

/** Adapts the sets of all managers to the current schemas and drops managers of versions that no longer exist. */
function adaptManagers({ versions }: OwnershipRules, live: TypedObject, managers: Managers): Managers {
  const adapted = new Map<string, ManagerEntry>();
  const types = new Map<string, MergeType | undefined>();
  for (const [identity, manager] of managers) {
    const { apiVersion, set } = manager;
    if (!types.has(apiVersion)) types.set(apiVersion, convert(versions, live, apiVersion)?.type);
    const type = types.get(apiVersion);
    if (type !== undefined) adapted.set(identity, { ...manager, set: adaptToSchema(set, type) });
  }
  return adapted;
}

/**
 * Returns the merged object without the fields that the applying manager owned before and that no manager owns now.
 *
 * `last` is the manager's previous entry; `managers` already contains its new one. Removal takes three steps, as in
 * structured-merge-diff: remove everything the manager owned, which also removes what is inside removed items; then
 * restore what any manager owns now; then restore what was inside but never belonged to the applying manager.
 */
function prune(rules: OwnershipRules, merged: TypedObject, managers: Managers, last: ManagerEntry): TypedObject {
  const { versions } = rules;
  const whole = withErrorPrefix("failed to convert merged object to last applied version", () =>
    convert(versions, merged, last.apiVersion),
  );
  if (whole === undefined) return merged;
  const lastFields = withStructs(last.set, whole.type);
  const remaining = { ...whole, value: removeFields(whole.type, whole.value, lastFields) };
  const owned = withErrorPrefix("failed add back owned items", () => addBackOwned(rules, whole, remaining, managers));
  const result = withErrorPrefix("failed add back dangling items", () =>
    addBackDangling(rules, whole, owned, lastFields),
  );
  return result === undefined ? merged : (convert(versions, result, merged.apiVersion) ?? merged);
}

/** Restores all fields that a manager owns, version by version, starting with the version of the pruned object. */
function addBackOwned(
  rules: OwnershipRules,
  merged: TypedObject,
  pruned: TypedObject,
  managers: Managers,
): TypedObject {
  const ownedIn = new Map<string, FieldSet>();
  const isHere = ({ apiVersion }: ManagerEntry): boolean => apiVersion === pruned.apiVersion;
  const entries = [...managers.values()];
  for (const { apiVersion, set } of [...entries.filter(isHere), ...entries.filter((entry) => !isHere(entry))]) {
    ownedIn.set(apiVersion, (ownedIn.get(apiVersion) ?? FieldSet.empty).union(set));
  }
  let whole = merged;
  let left = pruned;
  for (const [apiVersion, owned] of ownedIn) {
    const wholeHere = withErrorPrefix(`failed to convert merged object at version ${apiVersion}`, () =>
      convert(rules.versions, whole, apiVersion),
    );
    const leftHere = withErrorPrefix(`failed to convert pruned object at version ${apiVersion}`, () =>
      convert(rules.versions, left, apiVersion),
    );
    if (wholeHere === undefined || leftHere === undefined) continue;
    whole = wholeHere;
    const { type } = whole;
    const all = withStructs(ownFields(type, whole.value), type);
    const keep = withStructs(ownFields(type, leftHere.value), type).union(withStructs(owned, type));
    left = { ...whole, value: removeFields(type, whole.value, all.difference(keep)) };
  }
  return left;
}

/**
 * Restores fields that the applying manager never owned but that were inside an item or map that was removed as a
 * whole.
 */
function addBackDangling(
  { versions }: OwnershipRules,
  merged: TypedObject,
  pruned: TypedObject,
  last: FieldSet,
): TypedObject | undefined {
  const left = withErrorPrefix("failed to convert pruned object to last applied version", () =>
    convert(versions, pruned, merged.apiVersion),
  );
  if (left === undefined) return undefined;
  const { type } = merged;
  const kept = withStructs(ownFields(type, left.value), type);
  const all = withStructs(ownFields(type, merged.value), type);
  return { ...merged, value: removeFields(type, merged.value, all.difference(kept).intersection(last)) };
}
