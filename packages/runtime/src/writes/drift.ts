/** A change of a live object by another client that was reverted. It contains field names, never values. */
export interface Drift {
  /** Paths of the changed fields: `spec.ports`. Empty when the object was deleted. */
  readonly fields: readonly string[];
  /** Field managers that changed them; empty when they are unknown. */
  readonly managers: readonly string[];
  /** True if the whole object was deleted. */
  readonly wasDeleted: boolean;
}
