import type { Clock, JsonRecord, Timer } from "@homeostat/core";
import { keyPrefix } from "../resources/keys.ts";
import { StorageStoppedError } from "../storage/errors.ts";
import type { Store } from "../storage/store.ts";

const prefix = keyPrefix("", "events");

/**
 * Deletes events some time after their last write; one hour by default, as in kube-apiserver, where they have a lease
 * in etcd.
 *
 * All events have the same lifetime, so they expire in the order of their writes and one timer is enough.
 */
export class EventExpiry implements Disposable {
  readonly #store: Store<JsonRecord>;
  readonly #clock: Clock;
  readonly #ttlMs: number;
  /** Expiry time by key, next one first: setting a key again moves it to the end. */
  readonly #due = new Map<string, number>();
  readonly #unsubscribe: () => void;
  #seen: number;
  #timer: Timer | undefined;

  constructor(store: Store<JsonRecord>, clock: Clock, ttlMs = 3_600_000) {
    this.#store = store;
    this.#clock = clock;
    this.#ttlMs = ttlMs;
    for (const { key } of store.view().entries({ prefix })) this.#due.set(key, clock.monotonic() + ttlMs);
    this.#seen = store.visibleRevision;
    this.#unsubscribe = store.subscribe((visible) => this.#follow(visible));
    this.#schedule();
  }

  [Symbol.dispose](): void {
    this.#unsubscribe();
    this.#timer?.[Symbol.dispose]();
  }

  #follow(visible: number): void {
    for (; this.#seen < visible; this.#seen += 1) {
      const change = this.#store.change(this.#seen + 1);
      if (change === undefined || !change.key.startsWith(prefix)) continue;
      this.#due.delete(change.key);
      if (change.after !== undefined) this.#due.set(change.key, this.#clock.monotonic() + this.#ttlMs);
    }
    if (this.#timer === undefined) this.#schedule();
  }

  #schedule(): void {
    const [next] = this.#due.values();
    if (next === undefined) return;
    this.#timer = this.#clock.schedule(Math.max(0, next - this.#clock.monotonic()), () => {
      this.#timer = undefined;
      this.#removeDue();
      if (this.#timer === undefined) this.#schedule();
    });
  }

  #removeDue(): void {
    const now = this.#clock.monotonic();
    const keys: string[] = [];
    for (const [key, due] of this.#due) {
      if (due > now) break;
      keys.push(key);
    }
    for (const key of keys) {
      // Schedule another attempt until the deletion is visible: on a full disk it fails or is reverted.
      this.#due.delete(key);
      this.#due.set(key, now + this.#ttlMs);
      try {
        if (this.#store.delete(key).outcome === "missing") this.#due.delete(key);
      } catch (error) {
        if (!(error instanceof StorageStoppedError)) throw error;
      }
    }
  }
}
