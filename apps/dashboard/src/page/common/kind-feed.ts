/** Messages for the part of one kind on a resource page. Messages that arrive before the part is shown wait for it. */
export class KindFeed {
  #waiting: string[] = [];
  #handle: ((data: string) => void) | undefined;

  /** Passes a message on. */
  push(data: string): void {
    if (this.#handle === undefined) this.#waiting.push(data);
    else this.#handle(data);
  }

  /** Calls a function for all messages. Returns a function that ends it. */
  subscribe(handle: (data: string) => void): () => void {
    this.#handle = handle;
    for (const data of this.#waiting.splice(0)) handle(data);
    return () => (this.#handle = undefined);
  }
}
