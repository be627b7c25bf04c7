import type { Clock } from "@homeostat/core";
import { LruMap } from "./lru-map.ts";

/** Limits on the events written about each object. */
export interface BudgetOptions {
  /** Number of writes allowed at once after a quiet period. */
  readonly burst: number;
  /** Time after which one more write is allowed. */
  readonly refillMs: number;
  /** Number of objects tracked; the least recently used is dropped. */
  readonly objectsMax: number;
  readonly clock: Clock;
}

/** A token bucket per object, as in client-go's `EventSourceObjectSpamFilter`. */
export class Budgets {
  readonly #options: BudgetOptions;
  readonly #buckets: LruMap<string, { tokens: number; countedAt: number }>;

  constructor(options: BudgetOptions) {
    this.#options = options;
    this.#buckets = new LruMap(options.objectsMax);
  }

  /** Takes a token of an object. Returns false if it has none. */
  take(object: string): boolean {
    const { burst, refillMs, clock } = this.#options;
    const now = clock.monotonic();
    let bucket = this.#buckets.get(object);
    if (bucket === undefined) {
      bucket = { tokens: burst, countedAt: now };
      this.#buckets.set(object, bucket);
    }
    bucket.tokens = Math.min(burst, bucket.tokens + (now - bucket.countedAt) / refillMs);
    bucket.countedAt = now;
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  }
}
