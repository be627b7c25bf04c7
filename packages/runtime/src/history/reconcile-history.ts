import { ArgumentError } from "@homeostat/core";
import { LruMap } from "../events/lru-map.ts";
import { sharedReads } from "./reconcile-reads.ts";
import type { ReconcileRecord, RecordedDrift, RecordedWrite } from "./reconcile-record.ts";

/** Options of a {@link ReconcileHistory}. */
export interface ReconcileHistoryOptions {
  /** Maximum number of reconciles kept per object. Default: 16. */
  readonly reconcilesMax?: number;
  /** Maximum number of objects, of all controllers together. Default: 1,000. */
  readonly keysMax?: number;
}

/** State of an object in the queue of its controller. Times are milliseconds since 1970. */
export interface KeyState {
  readonly state: "idle" | "waiting" | "delayed" | "running";
  /** Time since when it is waiting or running, or at which its delay ends. */
  readonly at?: number | undefined;
  /** Number of the current or next attempt, from 1. */
  readonly attempt?: number | undefined;
  /** The events that triggered the current or next reconcile. */
  readonly reasons: readonly string[];
  /** Cause of a delay of the object: a terminal error, until its spec changes, or a hot loop, until the hold time is over. */
  readonly held?: { readonly why: "terminal" | "hot-loop"; readonly until?: number | undefined } | undefined;
}

/** A corrected drift with its reconcile. */
export interface DriftEntry extends RecordedDrift {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly reconcileId: string;
}

/** State and history of one object of one controller. Serializable as JSON. */
export interface Explanation {
  readonly controller: string;
  readonly key: string;
  /** Undefined when the controller does not lead. */
  readonly now: KeyState | undefined;
  /** Recent reconciles, newest first. */
  readonly reconciles: readonly ReconcileRecord[];
  /** Drift that was corrected last, newest first. Kept longer than the reconciles that corrected it; undefined if there was none. */
  readonly drifts?: readonly DriftEntry[] | undefined;
}

/** Ring buffer with the reconciles of one object. */
interface Track {
  readonly controller: string;
  readonly key: string;
  readonly reconciles: ReconcileRecord[];
  /** Index of the oldest record, which is overwritten next once the ring is full. */
  next: number;
  /** Corrected drift, oldest first. */
  drifts: readonly DriftEntry[];
}

/** Maximum number of corrected drifts that are kept per object. */
const driftsMax = 32;

const noDrifts: readonly DriftEntry[] = [];

/** Maximum number of distinct field lists that are shared between records. */
const fieldListsMax = 500;

/** Maximum share of the capacity for objects whose last reconcile failed. */
const failingShareMax = 0.75;

/**
 * Keeps the last reconciles of every object in memory: what triggered each, what it wrote, how it ended and when the next one is due.
 *
 * The page `/why` shows them, so that "why does this object not progress?" can be answered without searching logs. Memory is bounded: the
 * least recently reconciled objects are evicted first, objects whose last reconcile succeeded before those whose last reconcile failed.
 *
 * @example
 * history.explain("tenants", "default/blue").reconciles[0]?.error;
 */
export class ReconcileHistory {
  readonly #reconcilesMax: number;
  readonly #keysMax: number;
  /** Objects whose last reconcile succeeded, by controller and key, least recently reconciled first. */
  readonly #succeeding = new Map<string, Track>();
  /** Objects whose last reconcile failed or is stuck, in the same order. */
  readonly #failing = new Map<string, Track>();
  readonly #states = new Map<string, (key: string) => KeyState>();
  /** Field lists of writes, shared between records: writes to objects of one kind mostly change the same fields. */
  readonly #fieldLists = new LruMap<string, readonly string[]>(fieldListsMax);

  constructor({ reconcilesMax = 16, keysMax = 1000 }: ReconcileHistoryOptions = {}) {
    for (const [argument, value] of Object.entries({ reconcilesMax, keysMax })) {
      if (!Number.isInteger(value) || value < 1) {
        throw new ArgumentError({ argument, problem: `is ${value}; it must be an integer of at least 1.` });
      }
    }
    this.#reconcilesMax = reconcilesMax;
    this.#keysMax = keysMax;
  }

  /** Number of objects in the history. */
  get size(): number {
    return this.#succeeding.size + this.#failing.size;
  }

  /** Adds a reconcile. Replaces the newest record if it has the same ID: a stuck reconcile was recorded before and has now returned. */
  record(controller: string, key: string, reconcile: ReconcileRecord): void {
    const id = idOf(controller, key);
    const hasFields = reconcile.writes.some(({ fields }) => fields !== undefined);
    const track = this.#take(id) ?? { controller, key, reconciles: [], next: 0, drifts: noDrifts };
    const newest =
      track.reconciles.length === 0 ? -1 : (track.next + track.reconciles.length - 1) % track.reconciles.length;
    const { reads } = reconcile;
    const added = {
      ...reconcile,
      ...(hasFields && { writes: reconcile.writes.map((write) => this.#withSharedFields(write)) }),
      ...(reads !== undefined && { reads: sharedReads(reads, track.reconciles[newest]?.reads) }),
    };
    if (track.reconciles[newest]?.id === added.id) track.reconciles[newest] = added;
    else if (track.reconciles.length < this.#reconcilesMax) track.reconciles.push(added);
    else {
      track.reconciles[track.next] = added;
      track.next = (track.next + 1) % this.#reconcilesMax;
    }
    this.#keepDrifts(track, added);
    (isFailure(added) ? this.#failing : this.#succeeding).set(id, track);
    this.#evict();
  }

  /** Registers the function that returns the queue state of a controller's objects. Disposing of the result unregisters it. */
  follow(controller: string, stateOf: (key: string) => KeyState): Disposable {
    this.#states.set(controller, stateOf);
    return {
      [Symbol.dispose]: () => {
        if (this.#states.get(controller) === stateOf) this.#states.delete(controller);
      },
    };
  }

  /** Returns state and history of an object. An unknown object has an empty history. */
  explain(controller: string, key: string): Explanation {
    const id = idOf(controller, key);
    const track = this.#failing.get(id) ?? this.#succeeding.get(id);
    const now = this.#states.get(controller)?.(key);
    if (track === undefined) return { controller, key, now, reconciles: [] };
    const reconciles = [...track.reconciles.slice(track.next), ...track.reconciles.slice(0, track.next)].reverse();
    return track.drifts.length === 0
      ? { controller, key, now, reconciles }
      : { controller, key, now, reconciles, drifts: track.drifts.toReversed() };
  }

  /** Yields the objects in the history, optionally of one controller only: failing ones first, then the most recently reconciled. */
  *keys(
    controller?: string,
  ): Generator<{ readonly controller: string; readonly key: string; readonly last: ReconcileRecord }> {
    for (const tracks of [this.#failing, this.#succeeding]) {
      for (const track of [...tracks.values()].reverse()) {
        const last = track.reconciles.at(track.next - 1);
        if (last === undefined || (controller !== undefined && controller !== track.controller)) continue;
        yield { controller: track.controller, key: track.key, last };
      }
    }
  }

  /** Returns a write whose field list is shared with equal ones of other records. */
  #withSharedFields(write: RecordedWrite): RecordedWrite {
    const { fields } = write;
    if (fields === undefined) return write;
    const shared = this.#sharedFields(fields);
    return shared === fields ? write : { ...write, fields: shared };
  }

  /** Returns the list of an earlier record if it has the same fields. */
  #sharedFields(fields: readonly string[]): readonly string[] {
    const name = fields.join("\n");
    const known = this.#fieldLists.get(name);
    if (known !== undefined) return known;
    this.#fieldLists.set(name, fields);
    return fields;
  }

  /** Adds the drift of a reconcile to the drift log of its object. A reconcile that is recorded again replaces what it had added. */
  #keepDrifts(track: Track, { id, startedAt, durationMs, drifts = [] }: ReconcileRecord): void {
    if (drifts.length === 0) return;
    const entries = drifts.map((drift) => ({
      ...drift,
      fields: this.#sharedFields(drift.fields),
      at: startedAt + durationMs,
      reconcileId: id,
    }));
    track.drifts = [...track.drifts.filter(({ reconcileId }) => reconcileId !== id), ...entries].slice(-driftsMax);
  }

  /** Removes and returns the ring of an object; the caller adds it again at the end of the map, which keeps the maps in LRU order. */
  #take(id: string): Track | undefined {
    const succeeding = this.#succeeding.get(id);
    if (succeeding !== undefined) {
      this.#succeeding.delete(id);
      return succeeding;
    }
    const failing = this.#failing.get(id);
    if (failing !== undefined) this.#failing.delete(id);
    return failing;
  }

  /** Evicts one object if there are too many. Failing objects are evicted only when they exceed their share or there are no others. */
  #evict(): void {
    if (this.size <= this.#keysMax) return;
    const hasTooManyFailing = this.#succeeding.size === 0 || this.#failing.size > this.#keysMax * failingShareMax;
    const tracks = hasTooManyFailing ? this.#failing : this.#succeeding;
    for (const id of tracks.keys()) {
      tracks.delete(id);
      return;
    }
  }
}

/** Returns the map key of an object. Unambiguous, because keys of objects contain no spaces. */
function idOf(controller: string, key: string): string {
  return `${controller} ${key}`;
}

function isFailure({ result }: ReconcileRecord): boolean {
  return result === "failed" || result === "terminal" || result === "stuck";
}
