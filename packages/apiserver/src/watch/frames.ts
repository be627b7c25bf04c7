import type { Change } from "../storage/history.ts";
import type { EventType, Frame, Shape } from "./shape.ts";

/** For how many of the newest changes the encoded events are kept, for watchers that are only a little behind. */
const changesMax = 256;

/** Encoded events of one change. */
interface Slot {
  readonly revision: number;
  /** By the shape's id. */
  readonly frames: Map<string, Partial<Record<EventType, Frame>>>;
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
    const ofShape = frames?.get(shape.id);
    const known = ofShape?.[type];
    if (known !== undefined) return known;
    const frame = shape.encode(type, entry, change.revision);
    // A rejection belongs to whoever awaits the frame; nobody may, if the watcher is closed first.
    if (frame instanceof Promise) frame.catch(() => undefined);
    if (ofShape === undefined) frames?.set(shape.id, { [type]: frame });
    else ofShape[type] = frame;
    return frame;
  }

  /** The slot of a revision, unless a newer one has it. */
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
