/**
 * The location of a value, in the two forms that messages of the API server use: the path of the problem, and the name inside the
 * text of schema messages.
 */
export interface Location {
  /** Prefix of the path: the path of a default or of the status, otherwise empty. */
  readonly base: string;
  /** Name in schema messages: dots before properties and map keys, brackets for indexes, empty at the root. */
  readonly name: string;
}

/** Returns the path of problems at a location. */
export function pathOf({ base, name }: Location): string {
  const own = name.startsWith(".") ? name.slice(1) : name;
  if (base === "") return own;
  return own === "" ? base : `${base}.${own}`;
}

/** Returns the location of a declared property. */
export function propertyOf({ base, name }: Location, property: string): Location {
  return { base, name: name === "" ? property : `${name}.${property}` };
}

/** Returns the location of a map value or of a missing property. Unlike `propertyOf`, the name at the root starts with a dot. */
export function keyOf({ base, name }: Location, key: string): Location {
  return { base, name: `${name}.${key}` };
}

/** Returns the location of a list item. */
export function indexOf({ base, name }: Location, index: number): Location {
  return { base, name: `${name}[${index}]` };
}
