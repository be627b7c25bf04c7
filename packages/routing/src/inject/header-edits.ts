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
  readonly #values = new Map<string, string | undefined>();

  set(name: string, value: string): void {
    this.#values.delete(name);
    this.#values.set(name, value);
  }

  remove(name: string): void {
    this.#values.delete(name);
    this.#values.set(name, undefined);
  }

  edits(): HeaderEdits {
    const remove: string[] = [];
    const set: (readonly [string, string])[] = [];
    for (const [name, value] of this.#values) {
      if (value === undefined) remove.push(name);
      else set.push([name, value]);
    }
    return { remove, set };
  }
}
