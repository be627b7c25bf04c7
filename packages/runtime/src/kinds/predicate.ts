import type { Stored } from "@homeostat/core";
import type { EventType } from "../cache/event.ts";

/** A change of an object, the argument of a {@link Predicate}; `R` is the type of the cached object. */
export interface PredicateEvent<R> {
  readonly type: EventType;
  /** `namespace/name`, or the name alone. */
  readonly key: string;
  /** The object after the change, frozen; for a deletion, its last observed state. */
  readonly object: R;
  /** The object before the change, frozen; undefined for an `add`. */
  readonly old: R | undefined;
}

/** A function that returns true if an event triggers a reconcile. Synchronous: it is called in the event loop of the informer. */
export type Predicate<T> = (event: PredicateEvent<Stored<T>>) => boolean;
