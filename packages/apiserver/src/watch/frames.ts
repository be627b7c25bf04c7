import type { Change } from "../storage/history.ts";
import type { EventType, Frame, Shape } from "./shape.ts";

/** Number of newest changes whose encoded events are cached, for watchers that are only a little behind. */
const changesMax = 256;

/** Encoded events of one change. */
interface Slot {
  readonly revision: number;
  /** Keyed by the id of the shape. */
  readonly frames: Map<string, Partial<Record<EventType, Frame>>>;
}

/**
 * Cache of encoded events, shared by all watchers with the same shape.
 *
 * A write to an object that a thousand clients watch is encoded once, not a thousand times. A ring buffer indexed by
 * revision limits the memory; a watcher that is further behind than the ring encodes its events itself.
 */
export class Frames<T> {
  readonly #slots: (Slot | undefined)[] = Array.from({ length: changesMax });

  /** Returns the event of a change, encoded for a shape. */
  of(change: Change<T>, type: EventType, shape: Shape<T>): Frame {
    // A DELETED event shows the last state of the object; the other types show the new state.
    const entry = type === "DELETED" ? change.before : change.after;
    if (entry === undefined)
      throw new RangeError(`The change of revision ${change.revision} cannot be a ${type} event.`);
    const frames = this.#framesOf(change.revision);
    const ofShape = frames?.get(shape.id);
    const cached = ofShape?.[type];
    if (cached !== undefined) return cached;
    const frame = shape.encode(type, entry, change.revision);
    // The watcher that awaits the frame handles its rejection. If that watcher is closed first, the rejection must not
    // be unhandled.
    if (frame instanceof Promise) frame.catch(() => undefined);
    if (ofShape === undefined) frames?.set(shape.id, { [type]: frame });
    else ofShape[type] = frame;
    return frame;
  }

  /** Returns the slot of a revision; undefined if a newer revision occupies it. */
  #framesOf(revision: number): Slot["frames"] | undefined {
    const at = revision % changesMax;
    const slot = this.#slots[at];
    if (slot?.revision === revision) return slot.frames;
    if (slot !== undefined && slot.revision > revision) return undefined;
    const frames: Slot["frames"] = new Map();
    this.#slots[at] = { revision, frames };
    return frames;
  }
}
