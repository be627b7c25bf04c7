import type { Clock } from "@homeostat/core";
import { LruMap } from "./lru-map.ts";

/** How much each object may have written about it. */
export interface BudgetOptions {
  /** How many writes at once after a quiet time. */
  readonly burst: number;
  /** How long one more takes to come. */
  readonly refillMs: number;
  /** How many objects are remembered. */
  readonly objectsMax: number;
  readonly clock: Clock;
}

/** A token bucket for each object. */
export class Budgets {
  readonly #options: BudgetOptions;
  readonly #buckets: LruMap<string, { tokens: number; countedAt: number }>;

  constructor(options: BudgetOptions) {
    this.#options = options;
    this.#buckets = new LruMap(options.objectsMax);
  }

  /** Takes a token of an object; false when it has none. */
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
