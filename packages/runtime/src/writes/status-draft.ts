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
import type { ConditionTypeOf, ConditionValue, StatusChange, StatusOf } from "../controller/context.ts";

/** A status as it is kept: fields by name. */
type Status = Readonly<JsonRecord>;

/** Fields to set, or how to find them out from the status there is. */
type Change = object | ((status: Status | undefined) => object);

/** A condition to set, with the transition time if its status changes; undefined removes the condition. */
type DesiredCondition = { readonly change: ConditionChange; readonly at: number } | undefined;

/** A requirement on the status that a draft is applied to. */
export interface StatusRequirement<S> {
  isExpected(this: void, status: S | undefined): boolean;
  /** Makes the error that is thrown instead of changing the status. */
  otherwise(this: void): Error;
}

/**
 * What one run of a reconciler has to say about the status of its object.
 *
 * It is kept as what to do, not as what comes out, so that it can be done again to a newer state of the object: what others
 * have written there stays. Pure: time comes in as an argument.
 */
export class StatusDraft<T extends KubeObject = KubeObject> {
  readonly #generation: number | undefined;
  readonly #requirements: StatusRequirement<unknown>[] = [];
  readonly #changes: Change[] = [];
  readonly #conditions = new Map<string, DesiredCondition>();
  #revision = 0;

  /** @param object The object that the run has looked at: conditions are about its generation, and stay so. */
  constructor(object: DeepReadonly<T>);
  constructor(object: DeepReadonly<KubeObject>) {
    this.#generation = object.metadata.generation;
  }

  /** Whether nothing has been said. */
  get isEmpty(): boolean {
    return this.#changes.length === 0 && this.#conditions.size === 0;
  }

  /** How many times something has been said: as long as it is the same, so is the draft. */
  get revision(): number {
    return this.#revision;
  }

  /** Sets fields; `undefined` takes one away. A function is asked again for each state that the change is made to. */
  set(change: StatusChange<T> | ((status: DeepReadonly<StatusOf<T>> | undefined) => StatusChange<T>)): void;
  set(change: Change): void {
    this.#revision += 1;
    this.#changes.push(change);
  }

  /** Refuses to change a status that is not as expected. A draft that changes nothing is not checked. */
  addRequirement(requirement: StatusRequirement<DeepReadonly<StatusOf<T>>>): void;
  addRequirement(requirement: StatusRequirement<unknown>): void {
    this.#requirements.push(requirement);
  }

  /** Sets a condition. Of several for one type in a run, the last counts. `now` is in milliseconds since 1970. */
  setCondition(type: ConditionTypeOf<T>, value: ConditionValue, now: number): void;
  setCondition(type: string, { status, reason, message }: ConditionValue, now: number): void {
    const change: ConditionChange = {
      type,
      status: typeof status === "boolean" ? (status ? "True" : "False") : status,
      reason,
      ...(message === undefined ? {} : { message }),
      observedGeneration: this.#generation,
    };
    // A mistake in it is to be found where it was made.
    setCondition(undefined, change, now);
    this.#revision += 1;
    this.#conditions.set(type, { change, at: now });
  }

  /** Takes a condition away. */
  removeCondition(type: ConditionTypeOf<T>): void;
  removeCondition(type: string): void {
    this.#revision += 1;
    this.#conditions.set(type, undefined);
  }

  /** Returns the status that an object with the given one should have. Throws where a requirement on that one is not met. */
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
    for (const [type, wish] of this.#conditions) {
      const index = list.findIndex((condition) => isRecord(condition) && ownValue(condition, "type") === type);
      if (wish === undefined) list = list.filter((_, place) => place !== index);
      else {
        const after = withWish(list[index], wish);
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

/** A condition as it is to be. What it has beside the usual fields stays; it itself when nothing is different. */
function withWish(before: unknown, { change, at }: Exclude<DesiredCondition, undefined>): unknown {
  const known = isRecord(before) ? before : {};
  const current = readCondition(known);
  const [after] = setCondition(current === undefined ? undefined : [current], change, at);
  const merged = { ...known, ...after };
  return isEqual(merged, known) ? before : merged;
}

/** A condition that somebody has written, as far as it is one. */
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
