/** The CAs that clients of the route server must trust, as the service that issues its certificate reports them. */
export class TrustBundle {
  /** Namespace of the operator, whose copy of the bundle already exists. */
  readonly #namespace: string;
  #bundle: string | undefined;
  readonly #wakes = new Set<() => void>();

  constructor(namespace: string) {
    this.#namespace = namespace;
  }

  /** Returns the bundle, PEM; undefined until it is known. */
  current(): { readonly bundle: string | undefined; readonly namespace: string } {
    return { bundle: this.#bundle, namespace: this.#namespace };
  }

  set(bundle: string): void {
    if (bundle === this.#bundle) return;
    this.#bundle = bundle;
    for (const wake of this.#wakes) wake();
  }

  /** Yields once for the current bundle, if it is known, and once after each change, until the signal aborts. */
  async *changes(signal: AbortSignal): AsyncGenerator<"changed"> {
    let isChanged = this.#bundle !== undefined;
    let wake = (): void => undefined;
    const listener = (): void => {
      isChanged = true;
      wake();
    };
    this.#wakes.add(listener);
    const abort = (): void => wake();
    signal.addEventListener("abort", abort);
    try {
      while (!signal.aborted) {
        if (isChanged) {
          isChanged = false;
          yield "changed";
        } else await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      this.#wakes.delete(listener);
      signal.removeEventListener("abort", abort);
    }
  }
}
