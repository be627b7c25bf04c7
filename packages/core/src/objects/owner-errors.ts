import { HomeostatError } from "../errors/error.ts";
import type { OwnerReference } from "./object.ts";

/**
 * Thrown when an object is to get a controller but has another one already.
 *
 * Two controllers of one object would undo each other's work, so the API server allows one. It may pass: when the other
 * owner is gone, so is its claim.
 */
export class OwnerConflictError extends HomeostatError {
  readonly code = "OWNER_CONFLICT";
  /** The object that both want, as `Kind namespace/name`. */
  readonly object: string;
  /** The controller it has. */
  readonly current: OwnerReference;
  /** The controller it was to get. */
  readonly wanted: OwnerReference;

  constructor(
    { object, current, wanted }: { object: string; current: OwnerReference; wanted: OwnerReference },
    options?: ErrorOptions,
  ) {
    const isNamesake = current.kind === wanted.kind && current.name === wanted.name;
    const hint = isNamesake
      ? "That one was deleted and made again; wait until the garbage collector has removed what the old one owned."
      : "Use another name, or remove the other controller's claim.";
    super(`${object} is controlled by ${describe(current)}, and so cannot be by ${describe(wanted)}. ${hint}`, options);
    this.object = object;
    this.current = current;
    this.wanted = wanted;
  }

  override get retryable(): boolean {
    return true;
  }
}

/**
 * Thrown when an owner cannot own an object because of where the two live.
 *
 * An owner in a namespace owns only what is in that namespace; the garbage collector deletes what claims otherwise.
 */
export class OwnerScopeError extends HomeostatError {
  readonly code = "OWNER_SCOPE";
}

function describe({ kind, name, uid }: OwnerReference): string {
  return `${kind} ${name} (uid ${uid})`;
}
