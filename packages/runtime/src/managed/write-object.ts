import type { ObjectToApply, Propagation } from "@homeostat/client";
import {
  AlreadyExistsError,
  asStored,
  ConflictError,
  InvalidError,
  isRecord,
  type JsonRecord,
  type KubeObject,
  type ObjectKey,
  ownValue,
  type ResourceType,
  type Stored,
} from "@homeostat/core";
import { type FieldPath, projection } from "../cache/projection.ts";
import { changedFields } from "../writes/changed-fields.ts";
import { conflictsOf } from "../writes/conflicts.ts";
import { ApplyConflictError, BeingDeletedError, type FieldConflict } from "../writes/errors.ts";
import { otherManagers } from "../writes/field-managers.ts";
import { isNotFound, nameOf, pauseMs, attemptsMax } from "../writes/live.ts";
import { checkCached } from "../writes/owned-apply.ts";
import { describe } from "../writes/ownership.ts";
import type { ReconcileScope } from "../writes/reconcile-scope.ts";
import { targetOf } from "../writes/write-recorder.ts";
import { correctingPatch, type Difference, pathOf } from "./compare.ts";
import { decideObject, type KindRules, type ObjectStep } from "./decide.ts";
import type { DesiredObject, ObjectOutcome } from "./desired.ts";
import type { Drift } from "../writes/drift.ts";
import { upgradePatch } from "./field-upgrade.ts";
import type { ConflictPolicy } from "./managed-objects.ts";
import type { Ownership, StampedObject } from "./ownership.ts";
import type { ReapplySchedule } from "./reapply.ts";
import type { SettledSets } from "./settled-sets.ts";

/** The scope of a reconcile, with the ownership rules of managed objects. */
export interface ManagedScope extends ReconcileScope {
  readonly ownership: Ownership;
  readonly reapplies: ReapplySchedule;
  readonly settledSets: SettledSets;
  /** Returns the owner, including all writes of this reconcile. */
  newestOwner(this: void): Stored<KubeObject>;
}

/** Options of {@link writeObject}. */
export interface WriteObjectOptions {
  readonly rules: KindRules;
  /** Deletion propagation for dependents of an object that is replaced. */
  readonly propagation: Propagation;
  /** Cached fields of the kind; undefined for all. */
  readonly project: readonly FieldPath[] | undefined;
  /** The cached or live object; undefined if it does not exist. */
  readonly known: Stored<KubeObject> | undefined;
  /** True if `known` was read from the API server by this reconcile. */
  readonly isFresh: boolean;
  /** True if an earlier reconcile has completed the set; a missing object was then deleted by another client. */
  readonly isExpected: boolean;
  /** True if the object is to be applied although nothing differs. */
  readonly isDue: boolean;
  readonly conflicts: ConflictPolicy;
}

/** The outcome of an object that has the desired state now. */
export type Written = Exclude<ObjectOutcome, { result: "failed" | "blocked" }>;

/** One object to write, with its desired content. */
interface Target {
  readonly scope: ManagedScope;
  readonly type: ResourceType;
  readonly key: ObjectKey;
  readonly stamped: StampedObject;
  readonly propagation: Propagation;
  readonly project: readonly FieldPath[] | undefined;
  readonly conflicts: ConflictPolicy;
}

/**
 * Brings one object into the desired state, unless it has it already.
 *
 * Every write is conditional on the state that it was decided from: a creation on absence (POST), any other write on UID and resource version of an
 * object that was read just before. If the object has changed since, it is read and decided again. Therefore an object of another owner is never
 * changed, even if the cache is outdated.
 *
 * Throws a `NotOwnedError` for an object of another owner, a `BeingDeletedError` for one that is being deleted, and with `conflicts: "fail"` an
 * `ApplyConflictError` for one with fields of other field managers.
 */
export async function writeObject(
  scope: ManagedScope,
  desired: DesiredObject,
  { rules, propagation, project, known, isFresh: isKnownFresh, isExpected, isDue, conflicts }: WriteObjectOptions,
): Promise<Written> {
  const { ownership, object: owner, memory, clock, random, signal } = scope;
  const stamped = ownership.stamp(desired, owner);
  const target: Target = { scope, type: desired.type, key: nameOf(stamped), stamped, propagation, project, conflicts };
  if (project !== undefined) checkCached(desired.type, stamped, project);
  const isSettled = memory.isSettled.bind(memory);
  let live = known;
  let isFresh = isKnownFresh;
  for (let attempt = 1; ; attempt += 1) {
    const step = decideObject({ desired, stamped, live, owner, ownership, rules, isSettled, isDue });
    // An existing object is changed, or reported as not owned, only after reading it from the API server: the cache may be outdated.
    if (isFresh || step.do === "nothing" || step.do === "create") {
      try {
        return await perform(target, step, isExpected);
      } catch (error) {
        if (!isOutdated(error) || attempt === attemptsMax) throw error;
        await clock.sleep(pauseMs(attempt, random), signal);
      }
    }
    live = await read(target);
    isFresh = true;
  }
}

async function perform(target: Target, step: ObjectStep, isExpected: boolean): Promise<Written> {
  switch (step.do) {
    case "refuse":
      throw step.error;
    case "nothing":
      // Not recorded in the journal: a set of unchanged objects would fill the history of reconciles with skipped writes.
      return { result: "unchanged", live: step.live };
    case "create": {
      const live = await create(target);
      return isExpected ? { result: "created", live, drift: deleted } : { result: "created", live };
    }
    case "adopt":
      return { result: "adopted", ...(await apply(target, step)) };
    case "reapply":
      return reapply(target, step.live);
    case "replace":
      return { result: "replaced", live: await replace(target, step.live) };
    case "update": {
      if (!step.isDrift) return { result: "updated", ...(await apply(target, step)) };
      const drift = attribute(target, step);
      return { result: "corrected", ...(await apply(target, step)), drift };
    }
  }
}

const deleted: Drift = { fields: [], managers: [], wasDeleted: true };

/** Reports whether an error means that the object has changed since the write was decided. */
function isOutdated(error: unknown): boolean {
  if (error instanceof ConflictError) return error.conflict !== "fields";
  return error instanceof AlreadyExistsError || isNotFound(error);
}

async function read({ scope: { client, signal }, type, key }: Target): Promise<Stored<KubeObject> | undefined> {
  const live = await client.get(type, key, { signal });
  return live === undefined ? undefined : asStored(live);
}

async function create(target: Target): Promise<Stored<KubeObject>> {
  const { scope, type, stamped } = target;
  const { client, fieldManager, signal } = scope;
  const created = await client.create(type, stamped, { fieldManager, signal });
  remember(target, created);
  return asStored(created);
}

/** Adds the result of a write to the apply memory, in the shape in which it will be cached. */
function remember({ scope: { memory }, stamped, project }: Target, written: KubeObject): void {
  memory.remember(project === undefined ? written : projection(project)(written), stamped);
}

interface Found {
  readonly live: Stored<KubeObject>;
  readonly found: readonly Difference[];
}

/** An applied object, and the fields that were taken from other field managers. */
interface Applied {
  readonly live: Stored<KubeObject>;
  readonly taken?: readonly FieldConflict[];
}

async function apply(target: Target, { live, found }: Found): Promise<Applied> {
  const { scope, type, key, stamped } = target;
  const { client, fieldManager, signal } = scope;
  const base = await upgradeFields(target, live);
  const { uid, resourceVersion } = base.metadata;
  const body: ObjectToApply<KubeObject> = { ...stamped, metadata: { ...stamped.metadata, uid, resourceVersion } };
  let written: KubeObject;
  let taken: readonly FieldConflict[] = [];
  try {
    ({ written, taken } = await applyBody(target, body));
  } catch (error) {
    if (!(error instanceof InvalidError)) throw error;
    // The desired object may be valid and the result of the merge not, see `correctingPatch`. Without this fallback every retry would send
    // the same apply and get the same 422.
    const patch = correctingPatch(stamped, found);
    const merge = { ...patch, metadata: { ...recordIn(patch, "metadata"), resourceVersion } };
    written = await client.patch(type, key, { merge }, { fieldManager, signal });
  }
  remember(target, written);
  return { live: asStored(written), ...(taken.length > 0 && { taken }) };
}

/** Sends an apply, and another one with force if the policy says so; see {@link ConflictPolicy}. */
async function applyBody(
  { scope: { client, fieldManager, signal, log }, type, stamped, conflicts }: Target,
  body: ObjectToApply<KubeObject>,
): Promise<{ readonly written: KubeObject; readonly taken: readonly FieldConflict[] }> {
  const send = (force: boolean): Promise<KubeObject> => client.apply(type, body, { fieldManager, force, signal });
  if (conflicts === "force") return { written: await send(true), taken: [] };
  try {
    return { written: await send(false), taken: [] };
  } catch (error) {
    if (!(error instanceof ConflictError) || error.conflict !== "fields") throw error;
    const taken = conflictsOf(error);
    const object = describe(stamped);
    log.warn("Managed object has fields of other field managers", { object, conflicts: taken, policy: conflicts });
    if (conflicts === "fail") throw new ApplyConflictError({ object, conflicts: taken }, { cause: error });
    return { written: await send(true), taken };
  }
}

/** Applies an object although no difference was found. If this changes the object, the comparison had missed drift. */
async function reapply(target: Target, live: Stored<KubeObject>): Promise<Written> {
  const applied = await apply(target, { live, found: [] });
  const changed = changedFields(withoutStatus(live), withoutStatus(applied.live)).map(({ steps }) => steps);
  if (changed.length === 0) return { result: "unchanged", live: applied.live };
  return { result: "corrected", ...applied, drift: attribute(target, { live, found: changed }) };
}

/** Returns an object without its status, which other clients write at the same time. */
function withoutStatus(object: Stored<KubeObject>): object {
  const { status: _status, ...rest }: Stored<KubeObject> & { readonly status?: unknown } = object;
  return rest;
}

/** Moves the fields of the creation to the Apply entry of managedFields; see `field-upgrade.ts`. */
async function upgradeFields({ scope, type, key }: Target, live: Stored<KubeObject>): Promise<Stored<KubeObject>> {
  const { client, fieldManager, signal } = scope;
  const json = upgradePatch(live, fieldManager);
  return json === undefined ? live : asStored(await client.patch(type, key, { json }, { fieldManager, signal }));
}

/**
 * Deletes an object whose immutable fields differ, and creates it again. After a crash in between, the next reconcile creates it.
 *
 * The preconditions matter more here than for an update: without them, a decision from an outdated object could delete one that has
 * the desired state, with all its dependents. An object with finalizers still exists after the delete and blocks its name; the error
 * makes the reconcile wait for them instead of failing with "already exists".
 */
async function replace(target: Target, live: Stored<KubeObject>): Promise<Stored<KubeObject>> {
  const { scope, type, key, propagation } = target;
  const { uid, resourceVersion, finalizers = [] } = live.metadata;
  const preconditions = { uid, resourceVersion };
  const { object: remaining } = await scope.client.delete(type, key, {
    preconditions,
    propagation,
    signal: scope.signal,
  });
  if (remaining !== undefined && remaining.metadata.deletionTimestamp !== undefined) {
    const live = await read(target);
    if (live !== undefined) throw new BeingDeletedError({ object: describe(live), finalizers });
  }
  return create(target);
}

/** Returns the drift with the field managers that caused it, and passes them to the hot loop detection. */
function attribute({ scope, type, key }: Target, { live, found }: Found): Drift {
  const managers = otherManagers(live, { fields: found, except: scope.fieldManager, subresource: "" });
  const place = targetOf({ type, name: key });
  const target = `apply ${place.resource} ${place.key}`;
  if (scope.hotLoops.isSuspect(scope.key, target)) scope.hotLoops.blame(scope.key, target, managers);
  return { fields: [...new Set(found.map(pathOf))], managers, wasDeleted: false };
}

function recordIn(record: JsonRecord, name: string): JsonRecord {
  const value = ownValue(record, name);
  return isRecord(value) ? value : {};
}
