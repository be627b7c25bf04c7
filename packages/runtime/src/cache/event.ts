import type { Stored } from "@homeostat/core";
import { type Audience, isKnownTo } from "./audience.ts";
import { EventExpiredError } from "./errors.ts";
import type { Owners } from "./item.ts";
import type { ObjectStore } from "./object-store.ts";

/** What happened to an object, as somebody sees it who follows only these events. */
export type EventType = "add" | "update" | "delete";

/**
 * One change of one object, as given to a subscriber.
 *
 * The objects are parsed when they are first read. They can be read while the event is being handled; whoever wants to
 * read them later calls {@link ObjectEvent.keep} first.
 */
export interface ObjectEvent<T> {
  readonly type: EventType;
  /** `namespace/name`, or the name alone. */
  readonly key: string;
  /** The object after the change, frozen; for a deletion, the last that was known of it. */
  readonly object: Stored<T>;
  /** The object before the change, frozen; undefined when it is new. */
  readonly old: Stored<T> | undefined;
  /** The owners of the object after the change, where they are known without parsing it; undefined where not. */
  readonly owners?: Owners | undefined;
  /**
   * Whether a writer knows of this already, because it is the result of its own write: see `Writer`.
   *
   * When that turns out not to be all of it, since somebody else's change is in it, another event follows.
   */
  isKnownTo(writer: string): boolean;
  /** Makes the event readable for ever, and returns it. */
  keep(): this;
}

/** One of the two objects of an event: bytes that are still in the store, a copy of them, or parsed. */
export interface Side<T> {
  bytes: Buffer | undefined;
  parsed: Stored<T> | undefined;
}

/** What a {@link Change} is made of. */
export interface ChangeParts<T> {
  readonly type: EventType;
  readonly key: string;
  /** The slot of the object, or of where it was. */
  readonly slot: number;
  readonly old?: Side<T> | undefined;
  readonly audience?: Audience | undefined;
  readonly owners?: Owners | undefined;
}

/** An {@link ObjectEvent} that lives as long as its bytes are in the store, or for ever once it is kept. */
export class Change<T> implements ObjectEvent<T> {
  readonly type: EventType;
  readonly key: string;
  readonly slot: number;
  readonly #store: ObjectStore<T>;
  readonly audience: Audience | undefined;
  readonly owners: Owners | undefined;
  #old: Side<T> | undefined;
  #new: Side<T> | undefined;
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

  /** The object before the change, in a form that lasts. */
  keptOld(): Side<T> | undefined {
    const old = this.#old;
    if (old?.parsed !== undefined || old?.bytes === undefined || this.#isKept) return old;
    return { bytes: copyOf(old.bytes), parsed: undefined };
  }

  /** The bytes may go from now on. */
  expire(): void {
    this.#isExpired = true;
    if (!this.#isKept && this.#old !== undefined) this.#old.bytes = undefined;
  }

  #read(side: Side<T> | undefined): Stored<T> {
    if (side?.parsed !== undefined) return side.parsed;
    if (side?.bytes === undefined) throw new EventExpiredError(this.key);
    side.parsed = this.#store.parseBytes(side.bytes, this.key);
    side.bytes = undefined;
    return side.parsed;
  }
}

/** A copy that does not depend on the store. */
export function copyOf(bytes: Buffer | undefined): Buffer | undefined {
  return bytes === undefined ? undefined : Buffer.from(bytes);
}
