import { isEqual, isRecord } from "@homeostat/core";
import { compareTyped, withoutFields } from "./compare-values.ts";
import type { Conflict } from "./conflicts.ts";
import { FieldSet } from "./field-set.ts";
import { followSchema } from "./follow-schema.ts";
import type { ManagerEntry, Managers } from "./managers.ts";
import type { MergeType } from "./merge-type.ts";
import { mergeValues } from "./merge-values.ts";
import { ownFields, withStructs } from "./own-fields.ts";
import { removeFields } from "./remove-fields.ts";
import type { ResetFields } from "./reset-fields.ts";
import { type TypedObject, typedObject, type Versions } from "./typed-object.ts";
import { ApplyFault, during } from "./apply-fault.ts";

/** What the moves of ownership need to know of a kind. */
export interface OwnershipRules {
  readonly versions: Versions;
  readonly resetFields: ResetFields;
}

/** The managers after a write that nobody may object to, and what the writer changed. */
export interface Updated {
  readonly managers: Managers;
  /** The fields that the writer owns now through this write. */
  readonly taken: FieldSet;
}

/** What came of laying a configuration over an object. */
export type Laid =
  | {
      readonly managers: Managers;
      readonly value: unknown;
      readonly isChanged: boolean;
      readonly conflicts?: undefined;
    }
  | { readonly conflicts: readonly Conflict[] };

/** An apply of one manager. */
export interface Application {
  readonly live: TypedObject;
  readonly config: TypedObject;
  readonly managers: Managers;
  /** The identity text of the applier, and the entry it gets apart from its fields. */
  readonly identity: string;
  readonly entry: Omit<ManagerEntry, "set">;
  readonly force: boolean;
}

/**
 * Moves ownership by what a plain write changed: changed and added fields are taken from everybody else, removed ones
 * from all.
 */
export function updateOwnership(
  rules: OwnershipRules,
  { live, object, managers }: { live: TypedObject; object: TypedObject; managers: Managers },
): Updated {
  const fitting = fitManagers(rules, live, managers);
  const change = new Change(rules, live, object);
  const taken = change.in(object.apiVersion)?.changed ?? FieldSet.empty;
  const kept = without(change, fitting, undefined);
  const hidden = rules.resetFields.get(object.apiVersion) ?? FieldSet.empty;
  return { managers: kept.managers, taken: taken.differenceDeep(hidden) };
}

/** Lays a configuration over an object and moves ownership; conflicts end it unless it is forced. */
export function applyOwnership(rules: OwnershipRules, application: Application): Laid {
  const { live, config, identity, entry, force } = application;
  const before = fitManagers(rules, live, application.managers);
  const last = before.get(identity);
  const hidden = rules.resetFields.get(live.apiVersion) ?? FieldSet.empty;
  const set = ownFields(config.type, config.value).differenceDeep(hidden);
  const managers = new Map(before).set(identity, { ...entry, set });
  const merged = { ...live, value: mergeValues(live.type, live.value, config.value) ?? null };
  const hadFields = last !== undefined && !last.set.isEmpty;
  const pruned = hadFields ? during("failed to prune fields", () => prune(rules, merged, managers, last)) : merged;
  const change = new Change(rules, live, pruned);
  // Also when nobody else owns anything in it: an object that cannot be compared cannot be applied.
  change.in(live.apiVersion);
  const after = without(change, managers, identity);
  if (!force && after.conflicts.length > 0) return { conflicts: after.conflicts };
  return { managers: after.managers, value: pruned.value, isChanged: !isEqual(live.value, pruned.value) };
}

/** What changed in a version: fields that are new or other than before, and fields that are gone. */
interface Changed {
  readonly changed: FieldSet;
  readonly removed: FieldSet;
}

/** The difference of two objects as seen in each version that managers own fields in. */
class Change {
  readonly #rules: OwnershipRules;
  readonly #older: TypedObject;
  readonly #newer: TypedObject;
  readonly #known = new Map<string, Changed | undefined>();

  constructor(rules: OwnershipRules, older: TypedObject, newer: TypedObject) {
    this.#rules = rules;
    this.#older = older;
    this.#newer = newer;
  }

  /** The difference in a version, or `undefined` when that version is gone. */
  in(apiVersion: string): Changed | undefined {
    if (this.#known.has(apiVersion)) return this.#known.get(apiVersion);
    const comparison = this.#compare(apiVersion);
    this.#known.set(apiVersion, comparison);
    return comparison;
  }

  #compare(apiVersion: string): Changed | undefined {
    const { versions } = this.#rules;
    const older = during("failed to convert old object", () => convert(versions, this.#older, apiVersion));
    const newer = during("failed to convert new object", () => convert(versions, this.#newer, apiVersion));
    if (older === undefined || newer === undefined) return undefined;
    const comparison = during("failed to compare objects", () => compareTyped(newer.type, older.value, newer.value));
    const { modified, added, removed } = withoutFields(comparison, this.#rules.resetFields.get(apiVersion));
    return { changed: modified.union(added), removed };
  }
}

/** Takes what changed from all managers but one. Managers in versions that are gone, and those left with nothing, go. */
function without(
  change: Change,
  managers: Managers,
  but: string | undefined,
): { managers: Managers; conflicts: Conflict[] } {
  const kept = new Map<string, ManagerEntry>();
  const conflicts: Conflict[] = [];
  for (const [identity, manager] of managers) {
    let { set } = manager;
    if (identity !== but) {
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

/** An object in another version, or `undefined` when that version is gone. */
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

/** Makes what managers own fit the schemas of today. */
function fitManagers({ versions }: OwnershipRules, live: TypedObject, managers: Managers): Managers {
  const fitting = new Map<string, ManagerEntry>();
  const types = new Map<string, MergeType | undefined>();
  for (const [identity, manager] of managers) {
    const { apiVersion, set } = manager;
    if (!types.has(apiVersion)) types.set(apiVersion, convert(versions, live, apiVersion)?.type);
    const type = types.get(apiVersion);
    if (type !== undefined) fitting.set(identity, { ...manager, set: followSchema(set, type) });
  }
  return fitting;
}

/**
 * The merged object without what the applier owned before and neither it nor anybody else owns now.
 *
 * `last` is what it owned before; `managers` hold what it applies now.
 */
function prune(rules: OwnershipRules, merged: TypedObject, managers: Managers, last: ManagerEntry): TypedObject {
  const { versions } = rules;
  const whole = during("failed to convert merged object to last applied version", () =>
    convert(versions, merged, last.apiVersion),
  );
  if (whole === undefined) return merged;
  const lastFields = withStructs(last.set, whole.type);
  const bare = { ...whole, value: removeFields(whole.type, whole.value, lastFields) };
  const owned = during("failed add back owned items", () => addBackOwned(rules, whole, bare, managers));
  const result = during("failed add back dangling items", () => addBackDangling(rules, whole, owned, lastFields));
  return result === undefined ? merged : (convert(versions, result, merged.apiVersion) ?? merged);
}

/** Puts back what somebody owns, version by version, beginning with the version pruned in. */
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
    const wholeHere = during(`failed to convert merged object at version ${apiVersion}`, () =>
      convert(rules.versions, whole, apiVersion),
    );
    const leftHere = during(`failed to convert pruned object at version ${apiVersion}`, () =>
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

/** Puts back what is gone although the applier never owned it: fields inside of something that was taken out whole. */
function addBackDangling(
  { versions }: OwnershipRules,
  merged: TypedObject,
  pruned: TypedObject,
  last: FieldSet,
): TypedObject | undefined {
  const left = during("failed to convert pruned object to last applied version", () =>
    convert(versions, pruned, merged.apiVersion),
  );
  if (left === undefined) return undefined;
  const { type } = merged;
  const kept = withStructs(ownFields(type, left.value), type);
  const all = withStructs(ownFields(type, merged.value), type);
  return { ...merged, value: removeFields(type, merged.value, all.difference(kept).intersection(last)) };
}
