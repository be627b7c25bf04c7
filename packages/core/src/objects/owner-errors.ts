import { HomeostatError } from "../errors/error.ts";
import type { OwnerReference } from "./object.ts";

/**
 * Thrown when a controller reference is set on an object that already has another controller.
 *
 * Two controllers of one object would undo each other's changes, so the API server allows only one. Retryable: when the other owner
 * is deleted, the garbage collector removes its dependents.
 */
export class OwnerConflictError extends HomeostatError {
  readonly code = "OWNER_CONFLICT";
  /** The object, as `Kind namespace/name`. */
  readonly object: string;
  /** Its current controller. */
  readonly current: OwnerReference;
  /** The controller that the caller tried to set. */
  readonly wanted: OwnerReference;

  constructor(
    { object, current, wanted }: { object: string; current: OwnerReference; wanted: OwnerReference },
    options?: ErrorOptions,
  ) {
    const isRecreated = current.kind === wanted.kind && current.name === wanted.name;
    const hint = isRecreated
      ? "The owner was deleted and created again; wait until the garbage collector has deleted the dependents of the old one."
      : "Use another name, or remove the other controller reference.";
    super(
      `${object} is already controlled by ${describe(current)}, so it cannot be controlled by ${describe(wanted)}. ${hint}`,
      options,
    );
    this.object = object;
    this.current = current;
    this.wanted = wanted;
  }

  override get retryable(): boolean {
    return true;
  }
}

/**
 * Thrown when an owner cannot own an object because of their namespaces.
 *
 * A namespaced owner can only own objects in its own namespace. The garbage collector deletes objects whose owner reference
 * violates this.
 */
export class OwnerScopeError extends HomeostatError {
  readonly code = "OWNER_SCOPE";
}

function describe({ kind, name, uid }: OwnerReference): string {
  return `${kind} ${name} (uid ${uid})`;
}
