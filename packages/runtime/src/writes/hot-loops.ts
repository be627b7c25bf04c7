import type { Clock } from "@homeostat/core";
import { LruMap } from "../events/lru-map.ts";

/** A write that has changed an object. */
export interface NotedChange {
  /** Key of the primary object whose reconcile wrote. */
  readonly key: string;
  /** Verb, resource and key of the write: `apply deployments.apps default/web`. */
  readonly target: string;
  /** Paths of the changed fields: `spec.replicas`. */
  readonly fields: readonly string[];
  /** Digest of the new values of these fields. Never the values. */
  readonly digest: string;
  /** UID of the object if this write seems to have created it. Reports with the same UID count once. */
  readonly madeUid?: string | undefined;
  /**
   * Version of what the desired state is derived from, such as the generation of the primary object. An equal write for another version follows a
   * change of the inputs, as when a user switches a feature on and off; it is no repetition.
   */
  readonly input?: string | undefined;
}

/** A repeated write. */
export interface HotLoop {
  readonly key: string;
  readonly target: string;
  readonly fields: readonly string[];
  /**
   * `fight`: another field manager reverts the fields. `repeat`: the same values are written repeatedly, and it is not known who reverts them.
   * `churn`: changing values are written many times a second.
   */
  readonly type: "fight" | "repeat" | "churn";
  /** Other field managers of the fields, if they are known. */
  readonly others: readonly string[];
  /** Number of such writes so far. */
  readonly repeats: number;
  /** Milliseconds for which the primary object should not be reconciled. */
  readonly holdMs: number;
  /** End of that time, in milliseconds since 1970. */
  readonly heldUntil: number;
}

/** Limits of the hot loop detection. */
export interface HotLoopOptions {
  readonly clock: Clock;
  /** Number of equal writes within `windowMs` that counts as a loop. Default: 5. */
  readonly repeatsMax?: number;
  /** Number of equal writes within `windowMs` that counts as a loop although the inputs changed before each of them. Default: 120. */
  readonly inputRepeatsMax?: number;
  /** Time window for equal writes, in milliseconds. Default: 60,000. */
  readonly windowMs?: number;
  /** Number of writes to the same fields, with any values, within `churnWindowMs` that counts as a loop. Default: 50. */
  readonly churnMax?: number;
  /** Time window for writes with any values, in milliseconds. Default: 10,000. */
  readonly churnWindowMs?: number;
  /** First delay of the reconciler, in milliseconds; doubled with each further repetition. Default: 1000. */
  readonly holdMsMin?: number;
  /** Maximum delay, in milliseconds. Default: 300,000. */
  readonly holdMsMax?: number;
  /** Maximum number of remembered keys. Default: 10,000. */
  readonly keysMax?: number;
}

/** Writes of one key with the same signature. */
interface Trail {
  /** Times of the last writes on the monotonic clock, oldest first. */
  times: number[];
  /** Number of writes since the trail started. */
  repeats: number;
  /** Current delay; 0 if the writes are not a loop. */
  holdMs: number;
  /** Input of the last write. */
  input?: string | undefined;
}

/** State of the writes to one target. */
interface TargetTrails {
  /**
   * The first write until there is a second, then `"repeated"`. Most targets are written once; keeping no more than this for them saves memory.
   */
  first: { readonly signature: Signature; readonly at: number } | "repeated" | undefined;
  /** Field managers that were found to revert the changes. */
  others: readonly string[];
  /** Time of the last write that repeated earlier values. */
  repeatedAt: number | undefined;
  /** UID of the object that was created last. */
  madeUid: string | undefined;
}

interface KeyTrails {
  readonly targets: LruMap<string, TargetTrails>;
  /** Trails of the targets that were written repeatedly. */
  trails: LruMap<string, Trail> | undefined;
  heldUntil: number;
}

/** Two writes with the same signature count as equal. The strings are shared between signatures, as there may be thousands. */
interface Signature {
  readonly target: string;
  /** Sorted paths of the fields, one per line. */
  readonly fields: string;
  readonly digest: string;
  readonly input: string | undefined;
}

/** Maximum number of distinct field lists that are shared between keys. */
const fieldListsMax = 500;

/** Maximum number of targets, and of signatures, that are remembered per key. */
const trailsMax = 48;

/**
 * Detects reconcilers that write the same change repeatedly, and delays them.
 *
 * A change that is needed again was reverted: by another controller, by a user, by a mutating webhook, or by the reconciler itself. Each such write
 * causes a watch event, which triggers the next reconcile, so two controllers that disagree would write as fast as they can. The delay grows
 * exponentially, and ends when the writes stop. Keeps digests and paths, never values, with limited memory.
 *
 * Equal writes whose inputs changed in between are counted apart, with a higher limit: a user or a pipeline may switch between two states, but
 * two controllers that react to each other may also do so through the spec of the primary object.
 *
 * @example
 * const loop = hotLoops.note({ key, target, fields, digest });
 * if (loop !== undefined) log.warn("Hot loop detected", { fields: loop.fields, others: loop.others });
 */
export class HotLoops {
  readonly #options: Required<HotLoopOptions>;
  readonly #keys: LruMap<string, KeyTrails>;
  readonly #fieldLists = new LruMap<string, string>(fieldListsMax);

  constructor(options: HotLoopOptions) {
    this.#options = {
      repeatsMax: 5,
      inputRepeatsMax: 120,
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

  /** Adds a write that changed an object. Returns the loop if it exceeds the limits; undefined otherwise. */
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
    const signature: Signature = {
      target: name,
      fields: this.#fieldList(change.fields),
      digest,
      input: change.input,
    };
    const now = clock.monotonic();
    if (target.first === undefined && Math.min(repeatsMax, churnMax) > 1) {
      target.first = { signature, at: now };
      return undefined;
    }
    const { first } = target;
    target.first = "repeated";
    if (first !== undefined && first !== "repeated") this.#follow(state, first.signature, first.at);
    const { same, answers, any } = this.#follow(state, signature, now);
    if (same.repeats > 1) target.repeatedAt = now;
    for (const trail of [same, answers]) if (trail.holdMs > 0) return this.#loopOf(change, state, trail, "repeat");
    return any.holdMs > 0 ? this.#loopOf(change, state, any, "churn") : undefined;
  }

  /** Reports whether the same values were written to a target repeatedly of late. Then it is worth a request to find out who reverts them. */
  isSuspect(key: string, target: string): boolean {
    const state = this.#keys.get(key);
    if (state === undefined) return false;
    const latest = state.targets.get(target)?.repeatedAt;
    const { clock, windowMs, holdMsMax } = this.#options;
    return latest !== undefined && clock.monotonic() - latest <= windowMs + holdMsMax;
  }

  /** Remembers the other field managers of a target. */
  blame(key: string, target: string, others: readonly string[]): void {
    if (others.length > 0) targetIn(this.#stateOf(key), target).others = others;
  }

  /** Returns the milliseconds until a key may be reconciled again; 0 if it is not delayed. */
  holdMsOf(key: string): number {
    const heldUntil = this.#keys.get(key)?.heldUntil ?? 0;
    return Math.max(0, heldUntil - this.#options.clock.monotonic());
  }

  /** Drops the state of a key whose object was deleted. */
  forget(key: string): void {
    this.#keys.delete(key);
  }

  /**
   * Drops the state of keys whose writes are so old that they no longer affect what `note`, `isSuspect` and `holdMsOf` return. Most keys are written
   * when their object is created, and not again for a long time.
   */
  releaseQuiet(): void {
    for (const [key, state] of this.#keys.entries()) if (this.#isQuiet(state)) this.#keys.delete(key);
  }

  /** Number of remembered keys. */
  get size(): number {
    return this.#keys.size;
  }

  #isQuiet({ targets, trails, heldUntil }: KeyTrails): boolean {
    const { clock, windowMs, churnWindowMs, holdMsMax } = this.#options;
    const now = clock.monotonic();
    const trailMs = Math.max(windowMs, churnWindowMs);
    if (heldUntil > now) return false;
    for (const { first, repeatedAt } of targets.values()) {
      if (typeof first === "object" && now - first.at <= trailMs) return false;
      if (repeatedAt !== undefined && now - repeatedAt <= windowMs + holdMsMax) return false;
    }
    for (const { times, holdMs } of trails?.values() ?? [])
      if (now - (times.at(-1) ?? now) <= trailMs + holdMs) return false;
    return true;
  }

  /** Returns the sorted fields as one string, which is shared with equal lists. */
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

  /** Adds a write to three trails: that of equal writes for the same input, that of equal writes for any, and that of writes to the same fields. */
  #follow(
    state: KeyTrails,
    { target, fields, digest, input }: Signature,
    now: number,
  ): { readonly same: Trail; readonly answers: Trail; readonly any: Trail } {
    const { repeatsMax, inputRepeatsMax, windowMs, churnMax, churnWindowMs } = this.#options;
    const trails = (state.trails ??= new LruMap(trailsMax));
    const same = trailIn(trails, `=${target}\n${fields}\n${digest}`);
    const answers = trailIn(trails, `>${target}\n${fields}\n${digest}`);
    const any = trailIn(trails, `~${target}\n${fields}`);
    if (same.input !== input) Object.assign(same, { times: [], repeats: 0, holdMs: 0, input });
    this.#add(same, now, { max: repeatsMax, windowMs });
    this.#add(answers, now, { max: inputRepeatsMax, windowMs });
    this.#add(any, now, { max: churnMax, windowMs: churnWindowMs });
    return { same, answers, any };
  }

  /** Adds a write to a trail. It becomes a loop when the limit is exceeded, and stays one until there was no write for the window. */
  #add(trail: Trail, now: number, { max, windowMs }: { readonly max: number; readonly windowMs: number }): void {
    const { holdMsMin, holdMsMax } = this.#options;
    // The delay itself makes writes rarer, so it does not count as a quiet time.
    const isQuiet = now - (trail.times.at(-1) ?? now) > windowMs + trail.holdMs;
    if (isQuiet) Object.assign(trail, { times: [], repeats: 0, holdMs: 0 });
    trail.repeats += 1;
    trail.times = [...trail.times, now].slice(-max);
    const isLoop = trail.times.length === max && now - (trail.times[0] ?? now) <= windowMs;
    if (trail.holdMs > 0) trail.holdMs = Math.min(holdMsMax, trail.holdMs * 2);
    else if (isLoop) trail.holdMs = holdMsMin;
  }

  #loopOf(change: NotedChange, state: KeyTrails, trail: Trail, type: "repeat" | "churn"): HotLoop {
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

function trailIn(trails: LruMap<string, Trail>, signature: string): Trail {
  const known = trails.get(signature);
  if (known !== undefined) return known;
  const made: Trail = { times: [], repeats: 0, holdMs: 0 };
  trails.set(signature, made);
  return made;
}
