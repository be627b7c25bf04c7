import type { Change } from "../storage/history.ts";
import type { EventType, Frame, Shape } from "./shape.ts";

/** For how many of the newest changes the encoded events are kept, for watchers that are only a little behind. */
const changesMax = 256;

/** Encoded events of one change. */
interface Slot {
  readonly revision: number;
  readonly frames: Map<string, Frame>;
}

/** Events encoded once for all watchers of the same shape. */
export class Frames<T> {
  readonly #slots: (Slot | undefined)[] = Array.from({ length: changesMax });

  /** The event that a change is to watchers of a shape. */
  of(change: Change<T>, type: EventType, shape: Shape<T>): Frame {
    // After a DELETED the object is shown as it was; after the others, as it is.
    const entry = type === "DELETED" ? change.before : change.after;
    if (entry === undefined) throw new RangeError(`revision ${change.revision} cannot be ${type}`);
    const frames = this.#framesOf(change.revision);
    const key = `${type} ${shape.id}`;
    const known = frames?.get(key);
    if (known !== undefined) return known;
    const frame = shape.encode(type, entry, change.revision);
    // A rejection belongs to whoever awaits the frame; nobody may, if the watcher is closed first.
    if (frame instanceof Promise) frame.catch(() => undefined);
    frames?.set(key, frame);
    return frame;
  }

  /** The slot of a revision, unless a newer one has it. */
  #framesOf(revision: number): Map<string, Frame> | undefined {
    const at = revision % changesMax;
    const slot = this.#slots[at];
    if (slot?.revision === revision) return slot.frames;
    if (slot !== undefined && slot.revision > revision) return undefined;
    const frames = new Map<string, Frame>();
    this.#slots[at] = { revision, frames };
    return frames;
  }
}
