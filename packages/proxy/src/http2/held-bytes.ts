/** Bytes of request bodies that wait for a target, per workload. */
export class HeldBytes {
  readonly #max: number;
  readonly #bytes = new Map<string, number>();

  constructor(max: number) {
    this.#max = max;
  }

  /** Adds bytes. Returns false if the workload then holds more than allowed; they are counted nevertheless, until `release`. */
  take(workload: string, count: number): boolean {
    const bytes = (this.#bytes.get(workload) ?? 0) + count;
    this.#bytes.set(workload, bytes);
    return bytes <= this.#max;
  }

  release(workload: string, count: number): void {
    const bytes = (this.#bytes.get(workload) ?? 0) - count;
    if (bytes > 0) this.#bytes.set(workload, bytes);
    else this.#bytes.delete(workload);
  }
}
