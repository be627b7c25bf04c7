/** One write of a run, or one that turned out not to be needed. */
export interface WriteNote {
  readonly verb: "create" | "update" | "patch" | "apply" | "delete";
  /** `deployments.apps`, or with a part of it, `tenants.example.com/status`. */
  readonly resource: string;
  /** `namespace/name`, or the name alone. */
  readonly key: string;
  /**
   * `written`: something is different now. `unchanged`: the server found nothing to change. `skipped`: nothing was sent,
   * because nothing would change. `failed`: refused, or nobody knows.
   */
  readonly result: "written" | "unchanged" | "skipped" | "failed";
  /** What is different, where that is known: `spec.replicas`. */
  readonly fields?: readonly string[] | undefined;
  readonly ms: number;
  readonly error?: unknown;
}

/** Keeps what happens in one run of a reconciler. It must not throw or wait. */
export interface RunJournal {
  wrote(note: WriteNote): void;
}
