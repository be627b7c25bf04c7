/**
 * A minimal queue, structured like client-go's: a list of waiting keys, a set of dirty keys
 * and a set of keys being processed. No priorities, delays, backoff, reasons or metrics.
 */
export class PlainQueue {
  readonly #dirty = new Set<string>();
  readonly #running = new Set<string>();
  #waiting: string[] = [];
  #first = 0;

  add(key: string): void {
    if (this.#dirty.has(key)) return;
    this.#dirty.add(key);
    if (!this.#running.has(key)) this.#waiting.push(key);
  }

  next(): string | undefined {
    const key = this.#waiting[this.#first];
    if (key === undefined) return undefined;
    this.#first += 1;
    if (this.#first * 2 > this.#waiting.length) {
      this.#waiting = this.#waiting.slice(this.#first);
      this.#first = 0;
    }
    this.#dirty.delete(key);
    this.#running.add(key);
    return key;
  }

  done(key: string): void {
    this.#running.delete(key);
    if (this.#dirty.has(key)) this.#waiting.push(key);
  }
}
