import { type ErrorClass, HomeostatError, type OwnerReference } from "@homeostat/core";

/** An object with the name of a desired one that has another owner. */
export interface NotOwned {
  /** `Deployment default/web` */
  readonly object: string;
  /** The primary object that needs it: `Tenant default/blue`. */
  readonly neededBy: string;
  /** Its controller owner; undefined if it has none. */
  readonly owner: OwnerReference | undefined;
  /** UID of the owner in its ownership mark, if it has a mark and no controller owner. */
  readonly markedUid?: string | undefined;
  /** True if it belongs to a deleted object with the same name as the primary object, or is being deleted. */
  readonly isPredecessor: boolean;
}

/**
 * Thrown when an object with the desired name exists and has another owner. It was not changed.
 *
 * With `isPredecessor`, it will be deleted without further action: its owner was deleted and recreated under the same name and the garbage
 * collector has not deleted the object yet; or the object is being deleted. A retry is enough then.
 */
export class NotOwnedError extends HomeostatError {
  readonly code = "NOT_OWNED";
  readonly object: string;
  readonly owner: OwnerReference | undefined;
  /** True if a retry is enough. */
  readonly isPredecessor: boolean;

  constructor({ object, neededBy, owner, markedUid, isPredecessor }: NotOwned, options?: ErrorOptions) {
    const ownership =
      owner !== undefined
        ? `is controlled by ${owner.kind} ${owner.name} (uid ${owner.uid})`
        : markedUid !== undefined
          ? `is marked as owned by the object with uid ${markedUid}`
          : "has no controller, so another client created it";
    const hint = isPredecessor
      ? "It is a leftover that will be deleted; the operator retries."
      : "Rename one of the two, or delete the object if it is not needed.";
    super(`${object} does not belong to ${neededBy}: it ${ownership}. It was not changed. ${hint}`, options);
    this.object = object;
    this.owner = owner;
    this.isPredecessor = isPredecessor;
  }

  override get retryable(): boolean {
    return true;
  }

  // A leftover is deleted without action; anything else may need action by a user.
  override get errorClass(): ErrorClass {
    return this.isPredecessor ? "transient" : "unknown";
  }
}

/** Thrown when an owned object cannot be written because it is being deleted. A retry creates it when the deletion is complete. */
export class BeingDeletedError extends HomeostatError {
  readonly code = "BEING_DELETED";
  readonly object: string;
  /** Finalizers that have not been removed yet. */
  readonly finalizers: readonly string[];

  constructor(
    { object, finalizers }: { readonly object: string; readonly finalizers: readonly string[] },
    options?: ErrorOptions,
  ) {
    const hint =
      finalizers.length === 0
        ? "It is created again when the deletion is complete."
        : `It is created again when these finalizers have been removed: ${finalizers.join(", ")}.`;
    super(`${object} is being deleted and was not changed. ${hint}`, options);
    this.object = object;
    this.finalizers = finalizers;
  }

  override get retryable(): boolean {
    return true;
  }
}

/** A field that another field manager has set to a different value. */
export interface FieldConflict {
  /** `spec.replicas` */
  readonly field: string;
  /** The other field manager; undefined when the server did not name it. */
  readonly manager: string | undefined;
}

/** Thrown by `apply` with `conflicts: "fail"` when other field managers have set fields of the object to different values. */
export class ApplyConflictError extends HomeostatError {
  readonly code = "APPLY_CONFLICT";
  readonly object: string;
  readonly conflicts: readonly FieldConflict[];

  constructor(
    { object, conflicts }: { readonly object: string; readonly conflicts: readonly FieldConflict[] },
    options?: ErrorOptions,
  ) {
    const fields = conflicts.map(({ field, manager = "unknown manager" }) => `${field} (set by ${manager})`).join(", ");
    super(
      `${object} was not applied, because other field managers own some of its fields: ${fields}. ` +
        `Omit these fields, or apply with conflicts: "take".`,
      options,
    );
    this.object = object;
    this.conflicts = conflicts;
  }

  override get retryable(): boolean {
    return true;
  }

  // A user has to decide which manager owns the fields.
  override get errorClass(): ErrorClass {
    return "unknown";
  }
}
