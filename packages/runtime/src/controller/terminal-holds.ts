import { type DeepReadonly, isEqual, type KubeObject } from "@homeostat/core";

/** The state of an object in which its reconcile failed with a terminal error. */
interface Held {
  readonly uid: string | undefined;
  readonly generation: number | undefined;
  readonly isDeleting: boolean;
  readonly annotations: DeepReadonly<KubeObject>["metadata"]["annotations"];
}

/**
 * The objects whose last reconcile failed with a terminal error.
 *
 * As long as such an object has the same spec and annotations, its own events trigger no reconcile. Annotations count because users give orders to
 * operators by them. Events of owned and watched objects still trigger reconciles, because the error may depend on them.
 */
export class TerminalHolds {
  readonly #held = new Map<string, Held>();

  set(key: string, object: DeepReadonly<KubeObject>): void {
    this.#held.set(key, stateOf(object));
  }

  delete(key: string): void {
    this.#held.delete(key);
  }

  has(key: string): boolean {
    return this.#held.has(key);
  }

  /** Reports whether an object still has the state in which it failed. Always false for kinds without generation. */
  blocks(key: string, object: DeepReadonly<KubeObject>): boolean {
    const held = this.#held.get(key);
    if (held === undefined || held.generation === undefined) return false;
    const now = stateOf(object);
    return isEqual(held, now);
  }
}

function stateOf({ metadata: { uid, generation, deletionTimestamp, annotations } }: DeepReadonly<KubeObject>): Held {
  return { uid, generation, isDeleting: deletionTimestamp !== undefined, annotations };
}
