import type { Clock } from "@homeostat/core";
import { LruMap } from "../events/lru-map.ts";

/** A write that has changed something. */
export interface NotedChange {
  /** Whose reconciler wrote: the key of its object. */
  readonly key: string;
  /** What it wrote: `apply deployments.apps default/web`. */
  readonly target: string;
  /** What is different: `spec.replicas`. */
  readonly fields: readonly string[];
  /** A digest of the values that these fields have now. Never the values. */
  readonly digest: string;
  /** The uid of the object, if it was made by this write as far as can be told. The same one is not made twice. */
  readonly madeUid?: string | undefined;
}

/** The same write again and again. */
export interface HotLoop {
  readonly key: string;
  readonly target: string;
  readonly fields: readonly string[];
  /**
   * `fight`: somebody else sets the fields back. `repeat`: the same values again and again, and it is not known by whom they
   * are set back. `churn`: ever new values, many times a second.
   */
  readonly type: "fight" | "repeat" | "churn";
  /** Who else sets the fields, where that is known. */
  readonly others: readonly string[];
  /** How often it was written so far. */
  readonly repeats: number;
  /** How long the reconciler should leave the object alone now. */
  readonly holdMs: number;
  /** When that ends, in milliseconds since 1970. */
  readonly heldUntil: number;
}

/** When a write counts as a loop, and how it is slowed down. */
export interface HotLoopOptions {
  readonly clock: Clock;
  /** So many equal writes… Default: 5. */
  readonly repeatsMax?: number;
  /** …within this time are a loop. Default: 60,000. */
  readonly windowMs?: number;
  /** So many writes to the same fields, with whatever values… Default: 50. */
  readonly churnMax?: number;
  /** …within this time are one, too. Default: 10,000. */
  readonly churnWindowMs?: number;
  /** How long a reconciler is held off at first; doubled with each further repetition. Default: 1000. */
  readonly holdMsMin?: number;
  /** Never longer than this. Default: 300,000. */
  readonly holdMsMax?: number;
  /** How many keys are remembered. Default: 10,000. */
  readonly keysMax?: number;
}

/** One kind of write of one key. */
interface Trail {
  /** When the last few happened, by the monotonic clock; the first one is the oldest. */
  times: number[];
  /** How often since it began. */
  repeats: number;
  /** How long it is held off now; 0 when it is no loop. */
  holdMs: number;
}

interface KeyTrails {
  readonly trails: LruMap<string, Trail>;
  /** Who was found to be behind the changes of a target. */
  readonly others: LruMap<string, readonly string[]>;
  /** When a target was last given the values that it had been given before. */
  readonly repeated: LruMap<string, number>;
  /** The uid of what was last made. */
  readonly made: LruMap<string, string>;
  heldUntil: number;
}

/** More kinds of writes than this for one key, and the oldest are forgotten. */
const trailsMax = 32;

/**
 * Finds reconcilers that make the same change again and again, and says how long to wait.
 *
 * A change that has to be made again was undone: by somebody else, or by the reconciler itself. Nothing good comes of doing
 * it ever faster. Keeps digests and paths, never values, and never more than its limits.
 *
 * @example
 * const loop = hotLoops.note({ key, target, fields, digest });
 * if (loop !== undefined) log.warn("Writes the same again and again", { fields: loop.fields, others: loop.others });
 */
export class HotLoops {
  readonly #options: Required<HotLoopOptions>;
  readonly #keys: LruMap<string, KeyTrails>;

  constructor(options: HotLoopOptions) {
    this.#options = {
      repeatsMax: 5,
      windowMs: 60_000,
      churnMax: 50,
      churnWindowMs: 10_000,
      holdMsMin: 1000,
      holdMsMax: 300_000,
      keysMax: 10_000,
      ...options,
    };
    this.#keys = new LruMap(this.#options.keysMax);
  }

  /** Notes a write that changed something. Answers when it is one too many. */
  note(change: NotedChange): HotLoop | undefined {
    const { repeatsMax, windowMs, churnMax, churnWindowMs } = this.#options;
    const state = this.#stateOf(change.key);
    if (change.madeUid !== undefined) {
      if (state.made.get(change.target) === change.madeUid) return undefined;
      state.made.set(change.target, change.madeUid);
    }
    const fields = change.fields.toSorted().join("\n");
    const same = this.#follow(state, `=${change.target}\n${fields}\n${change.digest}`, { max: repeatsMax, windowMs });
    const any = this.#follow(state, `~${change.target}\n${fields}`, { max: churnMax, windowMs: churnWindowMs });
    if (same.repeats > 1) state.repeated.set(change.target, this.#options.clock.monotonic());
    if (same.holdMs > 0) return this.#verdict(change, state, same, "repeat");
    return any.holdMs > 0 ? this.#verdict(change, state, any, "churn") : undefined;
  }

  /** Whether a target was lately given the same values more than once, so that it is worth finding out who undoes it. */
  isSuspect(key: string, target: string): boolean {
    const state = this.#keys.get(key);
    if (state === undefined) return false;
    const latest = state.repeated.get(target);
    const { clock, windowMs, holdMsMax } = this.#options;
    return latest !== undefined && clock.monotonic() - latest <= windowMs + holdMsMax;
  }

  /** Notes who else has set the fields of a target. */
  blame(key: string, target: string, others: readonly string[]): void {
    if (others.length > 0) this.#stateOf(key).others.set(target, others);
  }

  /** How long the reconciler of a key should wait before its next run; 0 when there is nothing to wait for. */
  holdMsOf(key: string): number {
    const heldUntil = this.#keys.get(key)?.heldUntil ?? 0;
    return Math.max(0, heldUntil - this.#options.clock.monotonic());
  }

  /** Forgets a key, whose object is gone. */
  forget(key: string): void {
    this.#keys.delete(key);
  }

  /** How many keys are remembered. */
  get size(): number {
    return this.#keys.size;
  }

  #stateOf(key: string): KeyTrails {
    const known = this.#keys.get(key);
    if (known !== undefined) return known;
    const state: KeyTrails = {
      trails: new LruMap(trailsMax),
      others: new LruMap(trailsMax),
      repeated: new LruMap(trailsMax),
      made: new LruMap(trailsMax),
      heldUntil: 0,
    };
    this.#keys.set(key, state);
    return state;
  }

  /** Adds one to a trail. It is a loop from the first time that there are too many, until it has been quiet. */
  #follow(
    { trails }: KeyTrails,
    signature: string,
    { max, windowMs }: { readonly max: number; readonly windowMs: number },
  ): Trail {
    const { clock, holdMsMin, holdMsMax } = this.#options;
    const now = clock.monotonic();
    const trail = trails.get(signature) ?? { times: [], repeats: 0, holdMs: 0 };
    trails.set(signature, trail);
    // Whoever is held off comes later, and has not calmed down for that.
    const isQuiet = now - (trail.times.at(-1) ?? now) > windowMs + trail.holdMs;
    if (isQuiet) Object.assign(trail, { times: [], repeats: 0, holdMs: 0 });
    trail.repeats += 1;
    trail.times = [...trail.times, now].slice(-max);
    const isLoop = trail.times.length === max && now - (trail.times[0] ?? now) <= windowMs;
    if (trail.holdMs > 0) trail.holdMs = Math.min(holdMsMax, trail.holdMs * 2);
    else if (isLoop) trail.holdMs = holdMsMin;
    return trail;
  }

  #verdict(change: NotedChange, state: KeyTrails, trail: Trail, type: "repeat" | "churn"): HotLoop {
    const { clock } = this.#options;
    const { key, target, fields } = change;
    const { holdMs, repeats } = trail;
    const others = state.others.get(target) ?? [];
    state.heldUntil = Math.max(state.heldUntil, clock.monotonic() + holdMs);
    return {
      key,
      target,
      fields,
      type: type === "repeat" && others.length > 0 ? "fight" : type,
      others,
      repeats,
      holdMs,
      heldUntil: clock.now() + holdMs,
    };
  }
}
