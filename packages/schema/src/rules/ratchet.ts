import type { Correlation } from "../validation/correlation.ts";

/**
 * Decides whether problems of a value are ignored because an update did not change it (validation ratcheting).
 *
 * If a value has no counterpart in the old object, its nearest ancestor with a counterpart decides.
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
    // Both objects were converted to the same version before validation, so their `apiVersion` and `kind` are always equal,
    // which does not prove that the client left them unchanged.
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
