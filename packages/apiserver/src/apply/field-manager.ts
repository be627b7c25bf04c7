import {
  type Clock,
  formatApiVersion,
  type GroupVersionKind,
  isRecord,
  type JsonRecord,
  ownValue,
} from "@homeostat/core";
import { capUpdaters } from "./cap-updaters.ts";
import { type Applied, badRequestFailure, internalFailure, conflictFailure } from "./applied.ts";
import type { Conflict } from "./conflicts.ts";
import { gvkIn, gvkText, hasUid, objectText } from "./object-identity.ts";
import { managedFieldsOf, withManagedFields, withoutManagedFields } from "./object-managed-fields.ts";
import { clientSideFields, syncLastApplied } from "./last-applied.ts";
import { isReset, readManagers, writeManagers } from "./managed-fields.ts";
import {
  identityText,
  type ManagerEntry,
  type ManagerIdentity,
  type Managers,
  type ManagerOperation,
} from "./managers.ts";
import type { FieldSet } from "./field-set.ts";
import type { MergeType } from "./merge-type.ts";
import { neverOwned } from "./never-owned.ts";
import { applyOwnership, type ApplyOutcome, type OwnershipRules, updateOwnership } from "./ownership.ts";
import type { CheckValueOptions } from "./check-value.ts";
import type { ResetFields } from "./reset-fields.ts";
import { type TypedObject, typedObject, type Versions } from "./typed-object.ts";
import { ApplyFault, withErrorPrefix } from "./apply-fault.ts";

/** Options of a {@link FieldManager}, which is for one version of a kind at one endpoint. */
export interface FieldManagerOptions {
  readonly gvk: GroupVersionKind;
  /** Subresource of the endpoint; empty for the resource itself. */
  readonly subresource?: string;
  readonly versions: Versions;
  /** Fields that the endpoint ignores, by version, such as `status` at the main endpoint. */
  readonly resetFields?: ResetFields;
  /**
   * An object of the kind without content, as the server returns one. For a custom resource `apiVersion` and `kind`;
   * for a built-in kind also the fields that are always serialized, such as `spec: {}`.
   */
  readonly empty: JsonRecord;
  /** Prunes an object after an apply and sets its defaults. */
  readonly complete?: (object: JsonRecord) => JsonRecord;
  readonly clock: Pick<Clock, "now">;
}

/** A create, update or patch: any write that is not an apply. */
export interface ManagedUpdate {
  /** The stored object; undefined for a create. */
  readonly live: JsonRecord | undefined;
  /** The object that the client sent, or the result of its patch, after defaulting and before admission. */
  readonly object: JsonRecord;
  readonly manager: string;
}

/** A server-side apply. */
export interface ManagedApply {
  /** The stored object; undefined if the apply creates it. */
  readonly live: JsonRecord | undefined;
  /** The configuration exactly as the client sent it: without defaults, because defaulted fields are not owned. */
  readonly config: JsonRecord;
  readonly manager: string;
  readonly force: boolean;
}

/** Number of managers whose last field set is kept for sharing. */
const identitiesMax = 64;
const beforeFirstApply = "before-first-apply";
const clientSideManager = "kubectl";

/**
 * Maintains `metadata.managedFields` for one version of a kind at one endpoint, and applies configurations.
 *
 * The rules are those of structured-merge-diff and of `util/managedfields` in apimachinery:
 *
 * - An **update** takes ownership of every field it changes or adds, without conflicts: the fields are removed from the
 *   sets of all other managers. A removed field is removed from every set.
 * - An **apply** owns exactly the fields in its configuration. Changing a field that another manager owns is a conflict
 *   unless the apply is forced, in which case the other manager loses the field. Applying the value a field already has
 *   is no conflict; both managers then share the field.
 * - Fields that the manager applied before and omits now are removed from the object, unless another manager owns them.
 * - An object without `managedFields` is not tracked until its first apply, which records all existing fields under the
 *   manager `before-first-apply`.
 *
 * Objects go in and come out in the endpoint's version. Arguments are never modified.
 */
export class FieldManager {
  readonly #gvk: GroupVersionKind;
  readonly #apiVersion: string;
  readonly #subresource: string;
  readonly #rules: OwnershipRules;
  readonly #empty: JsonRecord;
  readonly #complete: (object: JsonRecord) => JsonRecord;
  readonly #clock: Pick<Clock, "now">;
  /** Field set that each manager had after its last write, for sharing equal sets between objects. */
  readonly #lastOf = new Map<string, FieldSet>();

  constructor({ gvk, subresource = "", versions, resetFields, empty, complete, clock }: FieldManagerOptions) {
    this.#gvk = gvk;
    this.#apiVersion = formatApiVersion(gvk);
    this.#subresource = subresource;
    this.#rules = { versions, resetFields: resetFields ?? new Map() };
    this.#empty = empty;
    this.#complete = complete ?? ((object) => object);
    this.#clock = clock;
  }

  /** Merge type of the endpoint's version; undefined if the version no longer exists. */
  get mergeType(): MergeType | undefined {
    return this.#rules.versions.typeOf(this.#apiVersion);
  }

  /**
   * Returns the object to store for a create, update or patch, with its new `managedFields`.
   *
   * Clients may replace `managedFields`, or clear them with an empty list; a list that cannot be parsed is ignored. If
   * the object does not match its schema, its `managedFields` are dropped: ownership never makes an update fail.
   */
  update({ live, object, manager }: ManagedUpdate): JsonRecord {
    const bare = withoutManagedFields(object);
    const managers = this.#managersFor(live, object);
    // A stored object without managers is not tracked; tracking starts with its first apply.
    if (managers.size === 0 && live !== undefined && hasUid(live)) return bare;
    try {
      const older = withoutManagedFields(live ?? this.#empty);
      return withManagedFields(bare, writeManagers(this.#afterUpdate(older, bare, managers, manager)));
    } catch (error) {
      if (error instanceof ApplyFault) return bare;
      throw error;
    }
  }

  /** Merges a configuration into the stored object, or into an empty one. */
  apply({ live, config, manager, force }: ManagedApply): Applied {
    const problem = this.#problemOf(config);
    if (problem !== undefined) return badRequestFailure(problem);
    const older = withoutManagedFields(live ?? this.#empty);
    const read = readManagers(live === undefined ? undefined : managedFieldsOf(live));
    if (read.problem !== undefined) return internalFailure(`failed to decode managed fields: ${read.problem}`);
    try {
      const managers = this.#startTracking(older, read.managers);
      return this.#applyChecked({ live: older, config, manager, force }, managers);
    } catch (error) {
      if (error instanceof ApplyFault) return internalFailure(error.message);
      throw error;
    }
  }

  /** Returns the managers that an update starts from: those that the client sent, or else the stored ones. */
  #managersFor(live: JsonRecord | undefined, object: JsonRecord): Managers {
    const stored = (): Managers => readManagers(live === undefined ? [] : managedFieldsOf(live)).managers ?? new Map();
    // Writes to a subresource cannot change managedFields directly.
    if (this.#subresource !== "") return stored();
    const metadata = ownValue(object, "metadata");
    const sent = isRecord(metadata) ? ownValue(metadata, "managedFields") : undefined;
    if (isReset(sent)) return new Map();
    const { managers } = readManagers(sent);
    // Clients that do not know managedFields omit them; that must not clear them.
    return managers === undefined || managers.size === 0 ? stored() : managers;
  }

  #afterUpdate(older: JsonRecord, newer: JsonRecord, managers: Managers, manager: string): Managers {
    const identity = this.#identity(manager, "Update");
    const lenient = { suffix: " to smd typed", allowDuplicates: true };
    const object = this.#typed(newer, "failed to convert new object", lenient);
    // The two objects share most of their parts, which need no second check.
    const live = this.#typed(older, "failed to convert live object", { ...lenient, checked: newer });
    const updated = updateOwnership(this.#rules, { live, object, managers });
    const taken = updated.taken.difference(neverOwned);
    if (taken.isEmpty) return capUpdaters(updated.managers);
    const text = identityText(identity);
    const before = updated.managers.get(text);
    const united = before === undefined ? taken : taken.union(before.set);
    const set = this.#reuseEqualSet(text, united, managers.get(text)?.set);
    return capUpdaters(new Map(updated.managers).set(text, { ...identity, set, time: this.#clock.now() }));
  }

  /**
   * Returns an existing field set that equals `set`, if there is one. Managers tend to write the same fields again, and
   * the same fields of many objects; sharing the set also shares its serialized `fieldsV1`.
   */
  #reuseEqualSet(identity: string, set: FieldSet, before: FieldSet | undefined): FieldSet {
    const shared = [before, this.#lastOf.get(identity)].find((each) => each?.equals(set) === true) ?? set;
    if (this.#lastOf.size >= identitiesMax) this.#lastOf.clear();
    this.#lastOf.set(identity, shared);
    return shared;
  }

  /** Records the existing fields of an object that was not tracked under the manager `before-first-apply`. */
  #startTracking(live: JsonRecord, managers: Managers): Managers {
    if (managers.size > 0) return managers;
    return withErrorPrefix("failed to create manager for existing fields", () =>
      this.#afterUpdate(this.#empty, live, managers, beforeFirstApply),
    );
  }

  #applyChecked(apply: ManagedApply & { live: JsonRecord }, managers: Managers): Applied {
    const { live, config, manager, force } = apply;
    const older = this.#typed(live, "failed to create typed live object", { allowDuplicates: true });
    let outcome = this.#mergeConfig(older, config, managers, { manager, force });
    if (outcome.conflicts !== undefined && manager === clientSideManager) {
      const disputed = this.#withoutClientSideFields(outcome.conflicts, older);
      if (disputed.length > 0) return conflictFailure(disputed);
      outcome = this.#mergeConfig(older, config, managers, { manager, force: true });
    }
    if (outcome.conflicts !== undefined) return conflictFailure(outcome.conflicts);
    const object = this.#result(outcome, live);
    const synced = manager === clientSideManager ? syncLastApplied(object, config) : object;
    return { object: withManagedFields(synced, writeManagers(outcome.managers)) };
  }

  #result(outcome: ApplyOutcome & { conflicts?: undefined }, live: JsonRecord): JsonRecord {
    if (!outcome.isChanged || !isRecord(outcome.value)) return live;
    return withoutManagedFields(this.#complete(outcome.value));
  }

  /** Merges the configuration and sets the time of the applying manager, which changes only if the object does. */
  #mergeConfig(
    live: TypedObject,
    config: JsonRecord,
    managers: Managers,
    writer: { manager: string; force: boolean },
  ): ApplyOutcome {
    const identity = this.#identity(writer.manager, "Apply");
    const text = identityText(identity);
    const outcome = applyOwnership(this.#rules, {
      live,
      config: this.#typed(config, "failed to create typed patch object"),
      managers,
      identity: text,
      entry: { ...identity, time: managers.get(text)?.time },
      force: writer.force,
    });
    if (outcome.conflicts !== undefined) return outcome;
    const time = outcome.isChanged ? this.#clock.now() : managers.get(text)?.time;
    return { ...outcome, managers: withoutNeverOwned(outcome.managers, text, time) };
  }

  /**
   * Returns the conflicts that remain when `kubectl apply` migrates from client side to server side: fields that
   * kubectl itself set, according to its last-applied annotation, are not in conflict.
   */
  #withoutClientSideFields(conflicts: readonly Conflict[], live: TypedObject): readonly Conflict[] {
    const allowed = clientSideFields(live);
    if (allowed === undefined) return conflicts;
    return conflicts
      .map(({ manager, paths }) => ({ manager, paths: paths.filter((path) => !allowed.has(path)) }))
      .filter(({ paths }) => paths.length > 0);
  }

  #identity(manager: string, operation: ManagerOperation): ManagerIdentity {
    const name = manager === "" ? "unknown" : manager;
    return { manager: name, operation, apiVersion: this.#apiVersion, subresource: this.#subresource };
  }

  #typed(value: JsonRecord, doing: string, options: CheckValueOptions & { suffix?: string } = {}): TypedObject {
    const type = this.#rules.versions.typeOf(this.#apiVersion);
    if (type === undefined) throw new ApplyFault(`no corresponding type for ${gvkText(this.#gvk)}`);
    return withErrorPrefix(`${doing} (${objectText(value)})${options.suffix ?? ""}`, () =>
      typedObject({ apiVersion: this.#apiVersion, type, value }, options),
    );
  }

  /** Returns why a configuration cannot be applied at this endpoint, in the words of the API server, or `undefined`. */
  #problemOf(config: JsonRecord): string | undefined {
    const { group, version, kind } = gvkIn(config);
    const isSame = group === this.#gvk.group && version === this.#gvk.version && kind === this.#gvk.kind;
    if (!isSame) return `invalid object type: ${gvkText({ group, version, kind })}`;
    const metadata = ownValue(config, "metadata");
    const isManaged = isRecord(metadata) && Array.isArray(ownValue(metadata, "managedFields"));
    return isManaged ? "metadata.managedFields must be nil" : undefined;
  }
}

/**
 * Returns the managers with a new time for one of them, and without its fields that no manager owns (see `neverOwned`). A
 * manager left without fields is dropped: it applied nothing but the identity of the object.
 */
function withoutNeverOwned(managers: Managers, identity: string, time: number | undefined): Managers {
  const entry = managers.get(identity);
  if (entry === undefined) return managers;
  const kept = new Map<string, ManagerEntry>(managers);
  const set = entry.set.difference(neverOwned);
  if (set.isEmpty) kept.delete(identity);
  else kept.set(identity, { ...entry, set, time });
  return kept;
}
