import type { Correlation } from "../validation/correlation.ts";

/**
 * Whether complaints about a value are dropped because it did not change.
 *
 * Where a value has no counterpart in the old object, the nearest one above it that has decides.
 */
export class Ratchet {
  private readonly current: Correlation | undefined;
  private readonly nearest: Correlation | undefined;

  constructor(current?: Correlation, nearest?: Correlation) {
    this.current = current;
    this.nearest = nearest;
  }

  key(name: string): Ratchet {
    if (this.current === undefined) return this;
    // Both objects were converted to one version before they came here: whether these two changed cannot be told.
    if (this.nearest === undefined && (name === "apiVersion" || name === "kind")) return new Ratchet();
    return new Ratchet(this.current.key(name), this.current);
  }

  element(index: number): Ratchet {
    return this.current === undefined ? this : new Ratchet(this.current.element(index), this.current);
  }

  isUnchanged(): boolean {
    return (this.current ?? this.nearest)?.isUnchanged() ?? false;
  }
}
