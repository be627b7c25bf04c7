// Reads values of unknown shape (JSON from files and other programs) without trusting them.

/** A JSON object; read its fields with {@link field}. */
export type JsonObject = { readonly [key: string]: unknown };

/** Reports whether a value is an object, not null and not an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns an own property by path; undefined if any step is absent. */
export function field(value: unknown, ...path: readonly string[]): unknown {
  let at = value;
  for (const step of path) {
    if (!isJsonObject(at) || !Object.hasOwn(at, step)) return undefined;
    at = at[step];
  }
  return at;
}

/** Returns the string at a path, or undefined. */
export function text(value: unknown, ...path: readonly string[]): string | undefined {
  const found = field(value, ...path);
  return typeof found === "string" ? found : undefined;
}

/** Returns the number at a path, or undefined. */
export function number(value: unknown, ...path: readonly string[]): number | undefined {
  const found = field(value, ...path);
  return typeof found === "number" && Number.isFinite(found) ? found : undefined;
}

/** Returns the list at a path, or an empty one. */
export function list(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = field(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** Parses JSON; undefined if the text is invalid. */
export function parseJson(source: string): unknown {
  try {
    return JSON.parse(source);
  } catch {
    return undefined;
  }
}
