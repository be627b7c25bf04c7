import { formatKey, type ObjectKey } from "@homeostat/core";
import type { Source } from "./source.ts";

/** A source whose keys other code of the program adds. Made by {@link keySource}. */
export interface KeySource extends Source<string> {
  /**
   * Enqueues primary objects: `"default/shop"`, `"shop"`, or an {@link ObjectKey}. Never waits. A key that waits to be delivered is not added twice.
   *
   * While no controller with this source works, for example because another process leads, keys are dropped: a controller that starts reconciles
   * every object.
   */
  enqueue(...keys: readonly (string | ObjectKey)[]): void;
}

/**
 * Creates a source for keys that other code of the program enqueues: a callback of a library, an HTTP handler, a timer. Like `source.Channel` of
 * controller-runtime. Several controllers may share it.
 *
 * @example
 * const releases = keySource({ name: "releases" });
 * const sites = defineController({ for: Site, sources: [releases], reconcile });
 * registry.onPush(({ site }) => releases.enqueue(site));
 */
export function keySource({ name }: { readonly name: string }): KeySource {
  const streams = new Set<KeyStream>();
  return {
    name,
    async *open(signal) {
      const stream = new KeyStream();
      const stop = (): void => stream.wake();
      streams.add(stream);
      signal.addEventListener("abort", stop, { once: true });
      try {
        while (!signal.aborted) {
          const key = stream.take();
          if (key === undefined) await stream.added();
          else yield key;
        }
      } finally {
        signal.removeEventListener("abort", stop);
        streams.delete(stream);
      }
    },
    map: (key) => [key],
    enqueue(...keys) {
      for (const given of keys) {
        const key = typeof given === "string" ? given : formatKey(given);
        for (const stream of streams) stream.add(key);
      }
    },
  };
}

/** The keys that one controller has not received yet. A set, so that it has at most one entry per object. */
class KeyStream {
  readonly #keys = new Set<string>();
  #wake: () => void = () => undefined;

  add(key: string): void {
    this.#keys.add(key);
    this.#wake();
  }

  /** Removes and returns the oldest key; undefined if there is none. */
  take(): string | undefined {
    const [key] = this.#keys;
    if (key !== undefined) this.#keys.delete(key);
    return key;
  }

  /** Resolves when a key is added, or after `wake`. */
  async added(): Promise<void> {
    if (this.#keys.size > 0) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }

  wake(): void {
    this.#wake();
  }
}
