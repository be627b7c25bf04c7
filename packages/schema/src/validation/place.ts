/**
 * Where a value is, in the two forms that messages use.
 *
 * `name` is the path as the schema messages spell it: dots between properties and map keys, brackets for indexes, and
 * empty at the root.
 */
export interface Place {
  /** What stands before the name in the path of a problem: where a default is declared, or nothing. */
  readonly base: string;
  readonly name: string;
}

/** The path of a problem about a place. */
export function pathOf({ base, name }: Place): string {
  const own = name.startsWith(".") ? name.slice(1) : name;
  if (base === "") return own;
  return own === "" ? base : `${base}.${own}`;
}

/** The place of a declared property. */
export function propertyOf({ base, name }: Place, property: string): Place {
  return { base, name: name === "" ? property : `${name}.${property}` };
}

/** The place of a value under a key of a map, or of a property that is missing. */
export function keyOf({ base, name }: Place, key: string): Place {
  return { base, name: `${name}.${key}` };
}

/** The place of an element of a list. */
export function indexOf({ base, name }: Place, index: number): Place {
  return { base, name: `${name}[${index}]` };
}
