/** Remembers what was last said about each thing, so that nothing is said twice. */
export class Told {
  readonly #said = new Map<string, string>();

  /** Whether this is new about that thing; from now on it no longer is. */
  isNews(thing: string, text: string): boolean {
    if (this.#said.get(thing) === text) return false;
    this.#said.set(thing, text);
    return true;
  }
}
