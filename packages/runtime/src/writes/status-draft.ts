import {
  type Condition,
  type ConditionChange,
  type DeepReadonly,
  isEqual,
  isList,
  isRecord,
  type JsonRecord,
  type KubeObject,
  ownValue,
  safeSet,
  setCondition,
} from "@homeostat/core";
import type { ConditionTypeOf, ConditionValue, StatusChange, StatusOf } from "./status-change.ts";

/** A status: fields by name. */
type Status = Readonly<JsonRecord>;

/** Fields to set, or a function that returns them for the current status. */
type Change = object | ((status: Status | undefined) => object);

/** A condition to set, with the transition time if its status changes; undefined removes the condition. */
type DesiredCondition = { readonly change: ConditionChange; readonly at: number } | undefined;

/** A requirement on the status that a draft is applied to. */
export interface StatusRequirement<S> {
  isExpected(this: void, status: S | undefined): boolean;
  /** Returns the error that is thrown instead of changing the status. */
  otherwise(this: void): Error;
}

/**
 * The status changes of one reconcile.
 *
 * A draft stores the changes, not the resulting status. After a conflict they are applied to the newer status, and what other clients have written
 * there is kept. It reads no clock: times are arguments.
 */
export class StatusDraft<T extends KubeObject = KubeObject> {
  readonly #generation: number | undefined;
  readonly #requirements: StatusRequirement<unknown>[] = [];
  readonly #changes: Change[] = [];
  readonly #conditions = new Map<string, DesiredCondition>();
  #revision = 0;

  /**
   * @param object The object as the reconcile read it. Its generation becomes the `observedGeneration` of conditions, even if the spec changes
   * before they are written: the reconcile has not seen the new spec.
   */
  constructor(object: DeepReadonly<T>);
  constructor(object: DeepReadonly<KubeObject>) {
    this.#generation = object.metadata.generation;
  }

  /** True if there are no changes. */
  get isEmpty(): boolean {
    return this.#changes.length === 0 && this.#conditions.size === 0;
  }

  /** Number of changes so far; it tells whether a draft has changed since it was written. */
  get revision(): number {
    return this.#revision;
  }

  /** Sets fields; `undefined` removes one. A function is called for each status that the draft is applied to. */
  set(change: StatusChange<T> | ((status: DeepReadonly<StatusOf<T>> | undefined) => StatusChange<T>)): void;
  set(change: Change): void {
    this.#revision += 1;
    this.#changes.push(change);
  }

  /** Adds a requirement on the status to be changed. It is not checked if the draft is empty. */
  addRequirement(requirement: StatusRequirement<DeepReadonly<StatusOf<T>>>): void;
  addRequirement(requirement: StatusRequirement<unknown>): void {
    this.#requirements.push(requirement);
  }

  /** Sets a condition. A later call for the same type replaces it. `now` is in milliseconds since 1970. */
  setCondition(type: ConditionTypeOf<T>, value: ConditionValue, now: number): void;
  setCondition(type: string, { status, reason, message }: ConditionValue, now: number): void {
    const change: ConditionChange = {
      type,
      status: typeof status === "boolean" ? (status ? "True" : "False") : status,
      reason,
      ...(message === undefined ? {} : { message }),
      observedGeneration: this.#generation,
    };
    // Validates the condition now, so that the stack trace of an error shows the caller.
    setCondition(undefined, change, now);
    this.#revision += 1;
    this.#conditions.set(type, { change, at: now });
  }

  /** Removes a condition. */
  removeCondition(type: ConditionTypeOf<T>): void;
  removeCondition(type: string): void {
    this.#revision += 1;
    this.#conditions.set(type, undefined);
  }

  /** Returns the given status with all changes applied. Throws if the given status does not meet a requirement. */
  next(before: unknown): Status {
    for (const { isExpected, otherwise } of this.#requirements) {
      if (!isExpected(isRecord(before) ? before : undefined)) throw otherwise();
    }
    let status: JsonRecord = isRecord(before) ? { ...before } : {};
    for (const change of this.#changes) {
      const fields = typeof change === "function" ? change(isRecord(before) ? status : undefined) : change;
      status = withFields(status, fields);
    }
    if (this.#conditions.size === 0) return status;
    const conditions = this.#nextConditions(ownValue(status, "conditions"));
    return withFields(status, { conditions });
  }

  #nextConditions(before: unknown): readonly unknown[] | undefined {
    let list = isList(before) ? before : [];
    for (const [type, desired] of this.#conditions) {
      const index = list.findIndex((condition) => isRecord(condition) && ownValue(condition, "type") === type);
      if (desired === undefined) list = list.filter((_, i) => i !== index);
      else {
        const after = withDesired(list[index], desired);
        list = index < 0 ? [...list, after] : list.with(index, after);
      }
    }
    return list.length === 0 && !isList(before) ? undefined : list;
  }
}

function withFields(status: JsonRecord, fields: object): JsonRecord {
  const next = { ...status };
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) delete next[name];
    else safeSet(next, name, value);
  }
  return next;
}

/** Returns the changed condition. Fields other than the standard ones are kept. Returns the same object if nothing changes. */
function withDesired(before: unknown, { change, at }: Exclude<DesiredCondition, undefined>): unknown {
  const known = isRecord(before) ? before : {};
  const current = readCondition(known);
  const [after] = setCondition(current === undefined ? undefined : [current], change, at);
  const merged = { ...known, ...after };
  return isEqual(merged, known) ? before : merged;
}

/** Returns an existing condition; undefined if it is not a valid one. Other clients may have written anything into the list. */
function readCondition(record: JsonRecord): Condition | undefined {
  const { type, status, lastTransitionTime, reason, message, observedGeneration } = record;
  if (typeof type !== "string" || typeof lastTransitionTime !== "string") return undefined;
  if (status !== "True" && status !== "False" && status !== "Unknown") return undefined;
  return {
    type,
    status,
    lastTransitionTime,
    reason: typeof reason === "string" ? reason : "",
    message: typeof message === "string" ? message : "",
    ...(typeof observedGeneration === "number" ? { observedGeneration } : {}),
  };
}
