import type { DeepReadonly, KubeObject } from "@homeostat/core";

/** Which state of an object failed for good. */
interface Held {
  readonly uid: string | undefined;
  readonly generation: number | undefined;
  readonly isDeleting: boolean;
}

/**
 * Objects whose last run failed with an error that only a change can help.
 *
 * While an object has the same spec its own events lead to nothing. Events of what it owns and watches still do.
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

  /** Whether the object is as it was when it failed. Of a kind without a generation every change counts. */
  blocks(key: string, object: DeepReadonly<KubeObject>): boolean {
    const held = this.#held.get(key);
    if (held === undefined || held.generation === undefined) return false;
    const now = stateOf(object);
    return held.uid === now.uid && held.generation === now.generation && held.isDeleting === now.isDeleting;
  }
}

function stateOf({ metadata: { uid, generation, deletionTimestamp } }: DeepReadonly<KubeObject>): Held {
  return { uid, generation, isDeleting: deletionTimestamp !== undefined };
}
