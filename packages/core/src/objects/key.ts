import { ArgumentError } from "../errors/argument-error.ts";
import { ParseError } from "../errors/parse-error.ts";

/** What names an object among those of its kind. */
export interface ObjectKey {
  /** Absent for an object that lives in no namespace. */
  readonly namespace?: string;
  readonly name: string;
}

/** Anything that has a name, and perhaps a namespace, in its metadata. */
export interface Named {
  readonly metadata: { readonly namespace?: string; readonly name?: string };
}

/**
 * The key of an object: `"namespace/name"`, or `"name"` when it lives in no namespace.
 *
 * Throws an `ArgumentError` for an object without a name: with `generateName` the server chooses it.
 */
export function keyOf({ metadata: { namespace, name } }: Named): string {
  if (name === undefined || name === "") {
    throw new ArgumentError({ argument: "metadata.name", problem: "is missing; an object without a name has no key." });
  }
  return formatKey(namespace === undefined || namespace === "" ? { name } : { namespace, name });
}

/** The text of a key; the opposite of {@link parseKey}. */
export function formatKey({ namespace, name }: ObjectKey): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}

/** Reads a key, `"namespace/name"` or `"name"`. Throws a {@link ParseError} for anything else. */
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
