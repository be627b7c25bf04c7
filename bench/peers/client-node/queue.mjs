/** A queue of keys in which each key waits at most once and is worked on by one worker at a time. */
export class Queue {
  #waiting = new Set();
  #running = new Set();
  #again = new Set();
  #workers;
  #work;

  constructor(workers, work) {
    this.#workers = workers;
    this.#work = work;
  }

  add(key) {
    if (this.#running.has(key)) this.#again.add(key);
    else this.#waiting.add(key);
    // After the current event, so that the informer's cache is updated first.
    queueMicrotask(() => this.#go());
  }

  #go() {
    while (this.#running.size < this.#workers) {
      const [key] = this.#waiting;
      if (key === undefined) return;
      this.#waiting.delete(key);
      this.#running.add(key);
      void this.#run(key);
    }
  }

  async #run(key) {
    try {
      await this.#work(key);
    } catch (error) {
      console.error(String(error));
      setTimeout(() => this.add(key), 100);
    }
    this.#running.delete(key);
    if (this.#again.delete(key)) this.#waiting.add(key);
    this.#go();
  }
}
