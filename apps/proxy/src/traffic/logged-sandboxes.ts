/** Sandboxes whose requests this proxy logs because the admin port asked for it, as `namespace/sandbox`. Annotations of sandboxes come with the tables. */
export class LoggedSandboxes {
  readonly #names = new Set<string>();

  /** True if no sandbox is logged. Requests then need no name to ask for. */
  get isEmpty(): boolean {
    return this.#names.size === 0;
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  list(): readonly string[] {
    return [...this.#names].sort();
  }

  /** Switches the log of a sandbox. Returns false if there are too many. */
  set(name: string, isLogged: boolean): boolean {
    if (!isLogged) this.#names.delete(name);
    else if (this.#names.size >= sandboxesMax && !this.#names.has(name)) return false;
    else this.#names.add(name);
    return true;
  }
}

export const sandboxesMax = 100;
