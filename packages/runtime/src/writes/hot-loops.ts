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

/** What is known of the writes to one target. */
interface TargetTrails {
  /** The first write, until there is a second. Most are the only one, and this is all that is kept of them. */
  first: { readonly signature: Signature; readonly at: number } | undefined;
  /** Who was found to be behind the changes. */
  others: readonly string[];
  /** When it was last given the values that it had been given before. */
  repeatedAt: number | undefined;
  /** The uid of what was last made. */
  madeUid: string | undefined;
}

interface KeyTrails {
  readonly targets: LruMap<string, TargetTrails>;
  trails: LruMap<string, Trail> | undefined;
  heldUntil: number;
}

/** What makes two writes the same. There may be several for each of thousands of keys, which share what is alike. */
interface Signature {
  readonly target: string;
  /** The fields, in order, one to a line. */
  readonly fields: string;
  readonly digest: string;
}

/** So many different lists of fields are kept once for all keys. */
const fieldListsMax = 500;

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
  readonly #fieldLists = new LruMap<string, string>(fieldListsMax);

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
    const { repeatsMax, churnMax, clock } = this.#options;
    const state = this.#stateOf(change.key);
    const target = targetIn(state, change.target);
    const { madeUid } = change;
    if (madeUid !== undefined) {
      if (target.madeUid === madeUid) return undefined;
      target.madeUid = madeUid;
    }
    const { target: name, digest } = change;
    const signature: Signature = { target: name, fields: this.#fieldList(change.fields), digest };
    const now = clock.monotonic();
    if (state.trails === undefined && target.first === undefined && Math.min(repeatsMax, churnMax) > 1) {
      target.first = { signature, at: now };
      return undefined;
    }
    this.#unfold(state);
    const { same, any } = this.#follow(state, signature, now);
    if (same.repeats > 1) target.repeatedAt = now;
    if (same.holdMs > 0) return this.#verdict(change, state, same, "repeat");
    return any.holdMs > 0 ? this.#verdict(change, state, any, "churn") : undefined;
  }

  /** Whether a target was lately given the same values more than once, so that it is worth finding out who undoes it. */
  isSuspect(key: string, target: string): boolean {
    const state = this.#keys.get(key);
    if (state === undefined) return false;
    const latest = state.targets.get(target)?.repeatedAt;
    const { clock, windowMs, holdMsMax } = this.#options;
    return latest !== undefined && clock.monotonic() - latest <= windowMs + holdMsMax;
  }

  /** Notes who else has set the fields of a target. */
  blame(key: string, target: string, others: readonly string[]): void {
    if (others.length > 0) targetIn(this.#stateOf(key), target).others = others;
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

  /** Fields as one text, the same one for all that are alike. */
  #fieldList(fields: readonly string[]): string {
    if (fields.length === 0) return "";
    const text = fields.toSorted().join("\n");
    const known = this.#fieldLists.get(text);
    if (known !== undefined) return known;
    this.#fieldLists.set(text, text);
    return text;
  }

  #stateOf(key: string): KeyTrails {
    const known = this.#keys.get(key);
    if (known !== undefined) return known;
    const state: KeyTrails = { targets: new LruMap(trailsMax), trails: undefined, heldUntil: 0 };
    this.#keys.set(key, state);
    return state;
  }

  /** Begins to follow a key whose targets are written to more than once: with the first writes, as they came. */
  #unfold(state: KeyTrails): void {
    if (state.trails !== undefined) return;
    state.trails = new LruMap(trailsMax);
    for (const { first } of state.targets.values())
      if (first !== undefined) this.#follow(state, first.signature, first.at);
  }

  /** Adds a write to the trails of those that are the same, and of those to the same fields. */
  #follow(
    { trails }: KeyTrails,
    { target, fields, digest }: Signature,
    now: number,
  ): { readonly same: Trail; readonly any: Trail } {
    const { repeatsMax, windowMs, churnMax, churnWindowMs } = this.#options;
    const same = trailIn(trails, `=${target}\n${fields}\n${digest}`);
    const any = trailIn(trails, `~${target}\n${fields}`);
    this.#add(same, now, { max: repeatsMax, windowMs });
    this.#add(any, now, { max: churnMax, windowMs: churnWindowMs });
    return { same, any };
  }

  /** Adds one to a trail. It is a loop from the first time that there are too many, until it has been quiet. */
  #add(trail: Trail, now: number, { max, windowMs }: { readonly max: number; readonly windowMs: number }): void {
    const { holdMsMin, holdMsMax } = this.#options;
    // Whoever is held off comes later, and has not calmed down for that.
    const isQuiet = now - (trail.times.at(-1) ?? now) > windowMs + trail.holdMs;
    if (isQuiet) Object.assign(trail, { times: [], repeats: 0, holdMs: 0 });
    trail.repeats += 1;
    trail.times = [...trail.times, now].slice(-max);
    const isLoop = trail.times.length === max && now - (trail.times[0] ?? now) <= windowMs;
    if (trail.holdMs > 0) trail.holdMs = Math.min(holdMsMax, trail.holdMs * 2);
    else if (isLoop) trail.holdMs = holdMsMin;
  }

  #verdict(change: NotedChange, state: KeyTrails, trail: Trail, type: "repeat" | "churn"): HotLoop {
    const { clock } = this.#options;
    const { key, target, fields } = change;
    const { holdMs, repeats } = trail;
    const { others } = targetIn(state, target);
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

function targetIn({ targets }: KeyTrails, name: string): TargetTrails {
  const known = targets.get(name);
  if (known !== undefined) return known;
  const made: TargetTrails = { first: undefined, others: [], repeatedAt: undefined, madeUid: undefined };
  targets.set(name, made);
  return made;
}

function trailIn(trails: LruMap<string, Trail> | undefined, signature: string): Trail {
  const known = trails?.get(signature);
  if (known !== undefined) return known;
  const made: Trail = { times: [], repeats: 0, holdMs: 0 };
  trails?.set(signature, made);
  return made;
}
