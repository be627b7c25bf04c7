import { createHash } from "node:crypto";
import { LruMap } from "../events/lru-map.ts";

/** The interval of a periodic apply, and the current time. */
export interface ReapplyTime {
  /** Milliseconds between two applies of the same object; 0 for none. */
  readonly intervalMs: number;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
}

/**
 * The times at which unchanged objects are applied again.
 *
 * Each object has a fixed moment in every interval, which follows from a hash of its name: the applies of many objects are spread evenly. Moments are
 * times of day and do not depend on the start of the process, so that a process that restarts often applies every object, too. One number
 * per owner is remembered, the time of its last complete sync.
 */
export class ReapplySchedule {
  readonly #syncedAt: LruMap<string, number>;

  constructor({ ownersMax = 100_000 }: { readonly ownersMax?: number } = {}) {
    this.#syncedAt = new LruMap(ownersMax);
  }

  /** Returns which objects of an owner are due. None is at the first sync of this process, and none after the clock was set back. */
  dueOf(ownerUid: string, { intervalMs, nowMs }: ReapplyTime): (object: string) => boolean {
    if (intervalMs <= 0) return () => false;
    const since = this.#syncedAt.get(ownerUid);
    if (since === undefined || since > nowMs) {
      this.#syncedAt.set(ownerUid, nowMs);
      return () => false;
    }
    return (object) => {
      const offsetMs = offsetOf(object) * intervalMs;
      return Math.floor((nowMs - offsetMs) / intervalMs) > Math.floor((since - offsetMs) / intervalMs);
    };
  }

  /** Returns the time at which the first of some objects is due, rounded down; Infinity if the interval is 0. Assumes that their owner was synced now. */
  nextDueMs(objects: Iterable<string>, { intervalMs, nowMs }: ReapplyTime): number {
    let next = Infinity;
    if (intervalMs <= 0) return next;
    for (const object of objects) {
      const offsetMs = offsetOf(object) * intervalMs;
      const moment = Math.floor((nowMs - offsetMs) / intervalMs) + 1;
      next = Math.min(next, Math.floor(moment * intervalMs + offsetMs));
    }
    return next;
  }

  /** Records that all due objects of an owner were applied. Without it, they stay due. */
  done(ownerUid: string, { intervalMs, nowMs }: ReapplyTime): void {
    if (intervalMs > 0) this.#syncedAt.set(ownerUid, nowMs);
  }
}

/** Returns the moment of an object in the interval, as a part of it: at least 0 and less than 1. */
function offsetOf(object: string): number {
  return createHash("sha256").update(object).digest().readUInt32BE() / 2 ** 32;
}
