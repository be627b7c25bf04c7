/** Decoded data of a Secret and its resourceVersion. */
export interface StoredSecret {
  readonly data: Readonly<Record<string, string>>;
  readonly resourceVersion: string;
}

/**
 * Access to the Secret with the certificates of all replicas.
 *
 * Reads must go to the API server and not to a cache, because they decide what may be overwritten.
 */
export interface SecretStore {
  /** Returns the Secret; undefined if it does not exist. */
  get(): Promise<StoredSecret | undefined>;
  /** Creates the Secret. Rejects with an `AlreadyExistsError` if another replica was faster. */
  create(data: Readonly<Record<string, string>>): Promise<void>;
  /** Replaces the data. Rejects with a `ConflictError` if the Secret is no longer at `resourceVersion`. */
  update(data: Readonly<Record<string, string>>, resourceVersion: string): Promise<void>;
}

/** An object with a `caBundle`: a webhook configuration, or a CRD with a conversion webhook. */
export interface CaBundleTarget {
  /** Name of the object, for messages. */
  readonly name: string;
  /**
   * Returns the bundle, PEM; undefined if the object does not exist, so that no API server uses it. Must not read from
   * a cache.
   */
  read(): Promise<{ readonly bundle: string; readonly resourceVersion: string } | undefined>;
  /** Replaces the bundle. Rejects with a `ConflictError` if the object is no longer at `resourceVersion`. */
  write(bundle: string, resourceVersion: string): Promise<void>;
}
