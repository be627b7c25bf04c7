import { ArgumentError } from "../errors/argument-error.ts";
import { ParseError } from "../errors/parse-error.ts";

/** The namespace and name of an object. */
export interface ObjectKey {
  /** Absent for a cluster-scoped object. */
  readonly namespace?: string;
  readonly name: string;
}

/** An object with a name and possibly a namespace in its metadata. */
export interface Named {
  readonly metadata: { readonly namespace?: string; readonly name?: string };
}

/**
 * Returns the key of an object: `"namespace/name"`, or `"name"` if it is cluster-scoped.
 *
 * Throws an `ArgumentError` for an object without a name, such as one with `generateName` before it is created.
 */
export function keyOf({ metadata: { namespace, name } }: Named): string {
  if (name === undefined || name === "") {
    throw new ArgumentError({
      argument: "metadata.name",
      problem: "is required; an object without a name has no key.",
    });
  }
  return formatKey(namespace === undefined || namespace === "" ? { name } : { namespace, name });
}

/** Formats a key. The inverse of {@link parseKey}. */
export function formatKey({ namespace, name }: ObjectKey): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}

/** Parses a key, `"namespace/name"` or `"name"`. Throws a {@link ParseError} for anything else. */
export function parseKey(key: string): ObjectKey {
  const slash = key.indexOf("/");
  const name = key.slice(slash + 1);
  if (slash === 0) throw malformed(key, 0, "the namespace before the / is empty");
  if (name === "") throw malformed(key, key.length, "the name is empty");
  const second = name.indexOf("/");
  if (second >= 0) throw malformed(key, slash + 1 + second, "expected namespace/name, found a second /");
  return slash < 0 ? { name } : { namespace: key.slice(0, slash), name };
}

function malformed(input: string, offset: number, problem: string): ParseError {
  return new ParseError({ what: "object key", input, offset, problem });
}
