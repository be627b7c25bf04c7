/**
 * Changes of the header fields of a request before it is forwarded. Fields with a name of `remove` or `set` are dropped, then those of `set`
 * are added. All names are in lower case.
 */
export interface HeaderEdits {
  readonly remove: readonly string[];
  readonly set: readonly (readonly [name: string, value: string])[];
}

/** Collects changes. A later change of a name replaces an earlier one. */
export class HeaderEditor {
  // Lists and not a map: a request has few changes, and an editor is created for each of them.
  readonly #remove: string[] = [];
  readonly #set: (readonly [name: string, value: string])[] = [];

  set(name: string, value: string): void {
    this.#forget(name);
    this.#set.push([name, value]);
  }

  remove(name: string): void {
    this.#forget(name);
    this.#remove.push(name);
  }

  edits(): HeaderEdits {
    return { remove: this.#remove, set: this.#set };
  }

  #forget(name: string): void {
    for (let at = 0; at < this.#set.length; at += 1) {
      if (this.#set[at]?.[0] === name) {
        this.#set.splice(at, 1);
        return;
      }
    }
    const at = this.#remove.indexOf(name);
    if (at !== -1) this.#remove.splice(at, 1);
  }
}
