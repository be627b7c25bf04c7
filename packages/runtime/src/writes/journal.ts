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

/** Receiver of the writes of one reconcile. */
export interface ReconcileJournal {
  /** Called after each write. Must not throw or wait. */
  wrote(note: WriteNote): void;
}
