/** The data of a Secret as texts, and the version it was read at. */
export interface StoredSecret {
  readonly data: Readonly<Record<string, string>>;
  readonly resourceVersion: string;
}

/**
 * Where the certificates of all replicas are kept: one Secret.
 *
 * Reads have to ask the API server itself and not a cache, since what they tell decides what may be overwritten.
 */
export interface SecretStore {
  /** The Secret, or undefined when there is none. */
  get(): Promise<StoredSecret | undefined>;
  /** Makes it. Rejects with an `AlreadyExistsError` where another replica was first. */
  create(data: Readonly<Record<string, string>>): Promise<void>;
  /** Replaces its data. Rejects with a `ConflictError` when it is no longer at `resourceVersion`. */
  update(data: Readonly<Record<string, string>>, resourceVersion: string): Promise<void>;
}

/** An object that tells API servers whom to trust: a webhook configuration, or a CRD with a conversion webhook. */
export interface CaBundleTarget {
  /** For messages. */
  readonly name: string;
  /** The PEM texts in it, or undefined when it does not exist; then nobody calls because of it. Not from a cache. */
  read(): Promise<{ readonly bundle: string; readonly resourceVersion: string } | undefined>;
  /** Replaces them. Rejects with a `ConflictError` when the object is no longer at `resourceVersion`. */
  write(bundle: string, resourceVersion: string): Promise<void>;
}
