/** A write of a reconcile, including writes that were skipped because nothing would have changed. */
export interface WriteNote {
  readonly verb: "create" | "update" | "patch" | "apply" | "delete";
  /** Resource with its subresource: `deployments.apps`, `tenants.example.com/status`. */
  readonly resource: string;
  /** `namespace/name`, or the name alone. */
  readonly key: string;
  /**
   * `written`: the object was changed. `unchanged`: the server found nothing to change. `skipped`: no request was sent, because nothing would
   * change. `failed`: the request was rejected, or its outcome is unknown.
   */
  readonly result: "written" | "unchanged" | "skipped" | "failed";
  /** Paths of the changed fields, if known: `spec.replicas`. */
  readonly fields?: readonly string[] | undefined;
  readonly ms: number;
  readonly error?: unknown;
}

/** A read of a reconcile. */
export interface ReadNote {
  readonly verb: "get" | "list";
  /** Resource with its subresource: `deployments.apps`, `pods/log`. */
  readonly resource: string;
  /** Key of the object, or the selection: `all in shop with app=web`. */
  readonly of: string;
  /** `live`: by a request to the API server. */
  readonly source: "cache" | "live";
  /** Number of objects that were found. */
  readonly objects: number;
  /** Time of the request; undefined for a read from the cache. */
  readonly ms?: number | undefined;
  /** True if the request failed. */
  readonly isFailed?: boolean | undefined;
}

/** Receiver of the reads and writes of one reconcile. */
export interface ReconcileJournal {
  /** Called after each write. Must not throw or wait. */
  wrote(note: WriteNote): void;
  /** Called after each read by a request. Must not throw or wait. Undefined if reads are not recorded. */
  readonly read?: ((note: ReadNote) => void) | undefined;
  /** Called after a decision, with its subject and its result, which must not contain values of objects. Must not throw or wait. */
  readonly decided?: ((about: string, result: string) => void) | undefined;
}
