import type { Stored } from "@homeostat/core";
import { type Audience, isKnownTo } from "./audience.ts";
import { EventExpiredError } from "./errors.ts";
import type { Owners } from "./item.ts";
import type { ObjectStore } from "./object-store.ts";

/**
 * Type of a change, as seen by a subscriber.
 *
 * A `delete` is not delivered for an object that was deleted while this process did not run. After an interruption of the
 * watch, several changes of an object may be one event, and the object of a `delete` may be older than the deleted one,
 * because only a list showed that it is gone (`DeletedFinalStateUnknown` in client-go). State outside of the cluster that
 * must be removed with an object therefore needs a finalizer.
 */
export type EventType = "add" | "update" | "delete";

/**
 * One change of one object.
 *
 * Objects are parsed when they are first read. They can be read while the handler is being called; to read them later,
 * call {@link ObjectEvent.keep} within the handler. This spares a copy of the bytes for every event that no handler
 * keeps.
 */
export interface ObjectEvent<T> {
  readonly type: EventType;
  /** `namespace/name`, or the name alone. */
  readonly key: string;
  /** The object after the change, frozen; for a deletion, its last known state. */
  readonly object: Stored<T>;
  /** The object before the change, frozen; undefined for an `add`. */
  readonly old: Stored<T> | undefined;
  /** Owner references of the object after the change, if they are known without parsing it. */
  readonly owners?: Owners | undefined;
  /**
   * Reports whether the change is nothing but the result of the writer's own write, so that the writer may skip it.
   *
   * If it turns out later that another client's change was part of it, another event follows.
   */
  isKnownTo(writer: string): boolean;
  /** Copies the bytes so that the event stays readable after the handler has returned. Returns the event. */
  keep(): this;
}

/** The object before or after a change: bytes still in the store, a copy of them, or the parsed object. */
export interface ObjectState<T> {
  bytes: Buffer | undefined;
  parsed: Stored<T> | undefined;
}

/** Constructor arguments of a {@link Change}. */
export interface ChangeParts<T> {
  readonly type: EventType;
  readonly key: string;
  /** Slot of the object, or its former slot if it was deleted. */
  readonly slot: number;
  readonly old?: ObjectState<T> | undefined;
  readonly audience?: Audience | undefined;
  readonly owners?: Owners | undefined;
}

/** An {@link ObjectEvent} that is readable while its bytes are in the store, or forever once it is kept. */
export class Change<T> implements ObjectEvent<T> {
  readonly type: EventType;
  readonly key: string;
  readonly slot: number;
  readonly #store: ObjectStore<T>;
  readonly audience: Audience | undefined;
  readonly owners: Owners | undefined;
  #old: ObjectState<T> | undefined;
  #new: ObjectState<T> | undefined;
  #isExpired = false;
  #isKept = false;

  constructor(store: ObjectStore<T>, { type, key, slot, old, audience, owners }: ChangeParts<T>) {
    this.#store = store;
    this.type = type;
    this.key = key;
    this.slot = slot;
    this.#old = old;
    this.audience = audience;
    this.owners = owners;
  }

  get object(): Stored<T> {
    if (this.type === "delete") return this.#read(this.#old);
    if (this.#new !== undefined) return this.#read(this.#new);
    if (this.#isExpired) throw new EventExpiredError(this.key);
    const parsed = this.#store.objectOf(this.slot);
    this.#new = { bytes: undefined, parsed };
    return parsed;
  }

  get old(): Stored<T> | undefined {
    return this.#old === undefined ? undefined : this.#read(this.#old);
  }

  isKnownTo(writer: string): boolean {
    return isKnownTo(this.audience, writer);
  }

  keep(): this {
    if (this.#isExpired) return this;
    if (this.type !== "delete" && this.#new === undefined) {
      this.#new = { bytes: copyOf(this.#store.viewOf(this.slot)), parsed: undefined };
    }
    this.#old = this.keptOld();
    this.#isKept = true;
    return this;
  }

  /** Returns the object before the change, independent of the store. */
  keptOld(): ObjectState<T> | undefined {
    const old = this.#old;
    if (old?.parsed !== undefined || old?.bytes === undefined || this.#isKept) return old;
    return { bytes: copyOf(old.bytes), parsed: undefined };
  }

  /** Ends access to the bytes in the store, which may be reused from now on. */
  expire(): void {
    this.#isExpired = true;
    if (!this.#isKept && this.#old !== undefined) this.#old.bytes = undefined;
  }

  #read(state: ObjectState<T> | undefined): Stored<T> {
    if (state?.parsed !== undefined) return state.parsed;
    if (state?.bytes === undefined) throw new EventExpiredError(this.key);
    state.parsed = this.#store.parseBytes(state.bytes, this.key);
    state.bytes = undefined;
    return state.parsed;
  }
}

/** Returns a copy that does not depend on the store. */
export function copyOf(bytes: Buffer | undefined): Buffer | undefined {
  return bytes === undefined ? undefined : Buffer.from(bytes);
}
