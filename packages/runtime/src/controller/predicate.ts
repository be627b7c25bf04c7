import type { Stored } from "@homeostat/core";
import type { EventType } from "../cache/event.ts";

/** What happened to an object, for deciding whether it is worth a reconcile: `R` is how the object is read. */
export interface SeenEvent<R> {
  readonly type: EventType;
  /** `namespace/name`, or the name alone. */
  readonly key: string;
  /** The object after the change, frozen; for a deletion, the last that was known of it. */
  readonly object: R;
  /** The object before the change, frozen; undefined when it is new. */
  readonly old: R | undefined;
}

/** Whether an event is worth a reconcile. It must not wait. */
export type Predicate<T> = (event: SeenEvent<Stored<T>>) => boolean;
