import {
  type Clock,
  formatApiVersion,
  type GroupVersionKind,
  isRecord,
  type JsonRecord,
  ownValue,
} from "@homeostat/core";
import { capUpdaters } from "./cap-updaters.ts";
import { type Applied, badRequest, broken, conflicting } from "./applied.ts";
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
import { applyOwnership, type Laid, type OwnershipRules, updateOwnership } from "./ownership.ts";
import type { CheckValueOptions } from "./check-value.ts";
import type { ResetFields } from "./reset-fields.ts";
import { type TypedObject, typedObject, type Versions } from "./typed-object.ts";
import { ApplyFault, during } from "./apply-fault.ts";

/** What a field manager is made for: one version of a kind at one endpoint. */
export interface FieldManagerOptions {
  readonly gvk: GroupVersionKind;
  /** The subresource of the endpoint; empty for the resource itself. */
  readonly subresource?: string;
  readonly versions: Versions;
  /** What the endpoint sets back, by version. */
  readonly resetFields?: ResetFields;
  /**
   * An object of the kind with nothing in it, as the server shows one. For a custom resource `apiVersion` and `kind`; for a
   * built-in kind also the fields that are always written, such as `spec: {}`.
   */
  readonly empty: JsonRecord;
  /** Completes an object after an apply: prunes it and fills in defaults. */
  readonly complete?: (object: JsonRecord) => JsonRecord;
  readonly clock: Pick<Clock, "now">;
}

/** A plain write: create, update or patch. */
export interface ManagedUpdate {
  /** The stored object; without one the write creates. */
  readonly live: JsonRecord | undefined;
  /** What the writer sent, completed. */
  readonly object: JsonRecord;
  readonly manager: string;
}

/** A server-side apply. */
export interface ManagedApply {
  /** The stored object; without one the apply creates. */
  readonly live: JsonRecord | undefined;
  /** What the applier sent, as it is. */
  readonly config: JsonRecord;
  readonly manager: string;
  readonly force: boolean;
}

/** How many managers are remembered. */
const identitiesMax = 64;
const beforeFirstApply = "before-first-apply";
const clientSideManager = "kubectl";

/**
 * Keeps `metadata.managedFields` for one version of a kind at one endpoint, and applies configurations.
 *
 * Objects go in and come out as the endpoint's version has them. Nothing given is changed.
 */
export class FieldManager {
  readonly #gvk: GroupVersionKind;
  readonly #apiVersion: string;
  readonly #subresource: string;
  readonly #rules: OwnershipRules;
  readonly #empty: JsonRecord;
  readonly #complete: (object: JsonRecord) => JsonRecord;
  readonly #clock: Pick<Clock, "now">;
  /** What each manager came to own with its last write. */
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

  /** How values of the endpoint's version merge; undefined when there is no such version any more. */
  get mergeType(): MergeType | undefined {
    return this.#rules.versions.typeOf(this.#apiVersion);
  }

  /**
   * The object of a plain write with the `managedFields` it is stored with.
   *
   * A writer may set them, or clear them with an empty list; what cannot be read is passed over. An object that does not
   * fit its schema loses them: ownership never makes a write fail.
   */
  update({ live, object, manager }: ManagedUpdate): JsonRecord {
    const bare = withoutManagedFields(object);
    const managers = this.#managersFor(live, object);
    // Without managers a stored object is not tracked; it begins with its first apply.
    if (managers.size === 0 && live !== undefined && hasUid(live)) return bare;
    try {
      const older = withoutManagedFields(live ?? this.#empty);
      return withManagedFields(bare, writeManagers(this.#afterUpdate(older, bare, managers, manager)));
    } catch (error) {
      if (error instanceof ApplyFault) return bare;
      throw error;
    }
  }

  /** Lays a configuration over the stored object, or over an empty one. */
  apply({ live, config, manager, force }: ManagedApply): Applied {
    const unfit = this.#unfit(config);
    if (unfit !== undefined) return badRequest(unfit);
    const older = withoutManagedFields(live ?? this.#empty);
    const read = readManagers(live === undefined ? undefined : managedFieldsOf(live));
    if (read.problem !== undefined) return broken(`failed to decode managed fields: ${read.problem}`);
    try {
      const managers = this.#trackFirst(older, read.managers);
      return this.#applyChecked({ live: older, config, manager, force }, managers);
    } catch (error) {
      if (error instanceof ApplyFault) return broken(error.message);
      throw error;
    }
  }

  #managersFor(live: JsonRecord | undefined, object: JsonRecord): Managers {
    const stored = (): Managers => readManagers(live === undefined ? [] : managedFieldsOf(live)).managers ?? new Map();
    // Through a subresource nobody sets them.
    if (this.#subresource !== "") return stored();
    const metadata = ownValue(object, "metadata");
    const sent = isRecord(metadata) ? ownValue(metadata, "managedFields") : undefined;
    if (isReset(sent)) return new Map();
    const { managers } = readManagers(sent);
    // Clients that know nothing of them send none, and must not clear them by it.
    return managers === undefined || managers.size === 0 ? stored() : managers;
  }

  #afterUpdate(older: JsonRecord, newer: JsonRecord, managers: Managers, manager: string): Managers {
    const identity = this.#identity(manager, "Update");
    const lenient = { suffix: " to smd typed", allowDuplicates: true };
    const object = this.#typed(newer, "failed to convert new object", lenient);
    // Most of it is in both, and need not be looked at twice.
    const live = this.#typed(older, "failed to convert live object", { ...lenient, fitting: newer });
    const updated = updateOwnership(this.#rules, { live, object, managers });
    const taken = updated.taken.difference(neverOwned);
    if (taken.isEmpty) return capUpdaters(updated.managers);
    const text = identityText(identity);
    const before = updated.managers.get(text);
    const united = before === undefined ? taken : taken.union(before.set);
    const set = this.#shared(text, united, managers.get(text)?.set);
    return capUpdaters(new Map(updated.managers).set(text, { ...identity, set, time: this.#clock.now() }));
  }

  /** Who writes the same fields again, or those of another object, owns the same set: it is written down once for all. */
  #shared(identity: string, set: FieldSet, before: FieldSet | undefined): FieldSet {
    const known = [before, this.#lastOf.get(identity)].find((each) => each?.equals(set) === true) ?? set;
    if (this.#lastOf.size >= identitiesMax) this.#lastOf.clear();
    this.#lastOf.set(identity, known);
    return known;
  }

  /** What an object holds that was never tracked belongs to nobody in particular. */
  #trackFirst(live: JsonRecord, managers: Managers): Managers {
    if (managers.size > 0) return managers;
    return during("failed to create manager for existing fields", () =>
      this.#afterUpdate(this.#empty, live, managers, beforeFirstApply),
    );
  }

  #applyChecked(apply: ManagedApply & { live: JsonRecord }, managers: Managers): Applied {
    const { live, config, manager, force } = apply;
    const older = this.#typed(live, "failed to create typed live object", { allowDuplicates: true });
    let laid = this.#lay(older, config, managers, { manager, force });
    if (laid.conflicts !== undefined && manager === clientSideManager) {
      const disputed = this.#beyond(laid.conflicts, older);
      if (disputed.length > 0) return conflicting(disputed);
      laid = this.#lay(older, config, managers, { manager, force: true });
    }
    if (laid.conflicts !== undefined) return conflicting(laid.conflicts);
    const object = this.#result(laid, live);
    const synced = manager === clientSideManager ? syncLastApplied(object, config) : object;
    return { object: withManagedFields(synced, writeManagers(laid.managers)) };
  }

  #result(laid: Laid & { conflicts?: undefined }, live: JsonRecord): JsonRecord {
    if (!laid.isChanged || !isRecord(laid.value)) return live;
    return withoutManagedFields(this.#complete(laid.value));
  }

  #lay(live: TypedObject, config: JsonRecord, managers: Managers, by: { manager: string; force: boolean }): Laid {
    const identity = this.#identity(by.manager, "Apply");
    const text = identityText(identity);
    const laid = applyOwnership(this.#rules, {
      live,
      config: this.#typed(config, "failed to create typed patch object"),
      managers,
      identity: text,
      entry: { ...identity, time: managers.get(text)?.time },
      force: by.force,
    });
    if (laid.conflicts !== undefined) return laid;
    const time = laid.isChanged ? this.#clock.now() : managers.get(text)?.time;
    return { ...laid, managers: stripped(laid.managers, text, time) };
  }

  /** The conflicts that a client-side apply of the same tool does not explain. */
  #beyond(conflicts: readonly Conflict[], live: TypedObject): readonly Conflict[] {
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
    return during(`${doing} (${objectText(value)})${options.suffix ?? ""}`, () =>
      typedObject({ apiVersion: this.#apiVersion, type, value }, options),
    );
  }

  #unfit(config: JsonRecord): string | undefined {
    const { group, version, kind } = gvkIn(config);
    const isSame = group === this.#gvk.group && version === this.#gvk.version && kind === this.#gvk.kind;
    if (!isSame) return `invalid object type: ${gvkText({ group, version, kind })}`;
    const metadata = ownValue(config, "metadata");
    const isManaged = isRecord(metadata) && Array.isArray(ownValue(metadata, "managedFields"));
    return isManaged ? "metadata.managedFields must be nil" : undefined;
  }
}

function stripped(managers: Managers, identity: string, time: number | undefined): Managers {
  const entry = managers.get(identity);
  if (entry === undefined) return managers;
  const kept = new Map<string, ManagerEntry>(managers);
  const set = entry.set.difference(neverOwned);
  if (set.isEmpty) kept.delete(identity);
  else kept.set(identity, { ...entry, set, time });
  return kept;
}
