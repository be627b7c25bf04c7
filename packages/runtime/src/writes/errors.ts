import { type ErrorClass, HomeostatError, type OwnerReference } from "@homeostat/core";

/** An object that a reconciler wants and somebody else has. */
export interface NotOwned {
  /** `Deployment default/web` */
  readonly object: string;
  /** Who wants it: `Tenant default/blue`. */
  readonly wantedBy: string;
  /** Its controller, if it has one. */
  readonly owner: OwnerReference | undefined;
  /** The UID of the owner that its ownership mark names, if it has a mark and no controller. */
  readonly markedUid?: string | undefined;
  /** Whether it was left by an earlier object of the same name as the one that wants it, or is being deleted anyway. */
  readonly isPredecessor: boolean;
}

/**
 * Thrown when an object of the wanted name is there and belongs to somebody else. It has not been touched.
 *
 * With `isPredecessor` it will go by itself: its owner was deleted and made again under the same name, and the garbage
 * collector has not been here yet; or it is being deleted. Then waiting is enough.
 */
export class NotOwnedError extends HomeostatError {
  readonly code = "NOT_OWNED";
  readonly object: string;
  readonly owner: OwnerReference | undefined;
  /** Whether waiting is enough. */
  readonly isPredecessor: boolean;

  constructor({ object, wantedBy, owner, markedUid, isPredecessor }: NotOwned, options?: ErrorOptions) {
    const whose =
      owner !== undefined
        ? `is controlled by ${owner.kind} ${owner.name} (uid ${owner.uid})`
        : markedUid !== undefined
          ? `is marked as belonging to the object with uid ${markedUid}`
          : "has no controller, so another client created it";
    const hint = isPredecessor
      ? "It is a leftover that will go by itself; trying again later is enough."
      : "Give one of the two another name, or delete the object if nobody needs it.";
    super(`${object} does not belong to ${wantedBy}: it ${whose}. It was left as it is. ${hint}`, options);
    this.object = object;
    this.owner = owner;
    this.isPredecessor = isPredecessor;
  }

  override get retryable(): boolean {
    return true;
  }

  /** A leftover goes by itself; anything else may need somebody to act. */
  override get errorClass(): ErrorClass {
    return this.isPredecessor ? "transient" : "unknown";
  }
}

/** Thrown when an object of ours is to be changed while it is being deleted. It passes: when it is gone it can be made again. */
export class BeingDeletedError extends HomeostatError {
  readonly code = "BEING_DELETED";
  readonly object: string;
  /** What it still waits for. */
  readonly finalizers: readonly string[];

  constructor(
    { object, finalizers }: { readonly object: string; readonly finalizers: readonly string[] },
    options?: ErrorOptions,
  ) {
    const held =
      finalizers.length === 0
        ? "It ends soon; trying again then makes it anew."
        : `It is held by ${finalizers.join(", ")}; it can be made anew when these have been removed.`;
    super(`${object} is being deleted, so it was left as it is. ${held}`, options);
    this.object = object;
    this.finalizers = finalizers;
  }

  override get retryable(): boolean {
    return true;
  }
}

/** A field that somebody else has set to another value. */
export interface FieldConflict {
  /** `spec.replicas` */
  readonly field: string;
  /** Who has set it; undefined when the server did not say. */
  readonly manager: string | undefined;
}

/** Thrown by `apply` with `conflicts: "fail"` when somebody else has set fields of the object to other values. */
export class ApplyConflictError extends HomeostatError {
  readonly code = "APPLY_CONFLICT";
  readonly object: string;
  readonly conflicts: readonly FieldConflict[];

  constructor(
    { object, conflicts }: { readonly object: string; readonly conflicts: readonly FieldConflict[] },
    options?: ErrorOptions,
  ) {
    const fields = conflicts.map(({ field, manager = "somebody else" }) => `${field} (set by ${manager})`).join(", ");
    super(
      `${object} was not applied, because others have set some of its fields: ${fields}. ` +
        `Leave these fields out, or apply with conflicts: "take".`,
      options,
    );
    this.object = object;
    this.conflicts = conflicts;
  }

  override get retryable(): boolean {
    return true;
  }

  /** Somebody has to decide whose the fields are. */
  override get errorClass(): ErrorClass {
    return "unknown";
  }
}
