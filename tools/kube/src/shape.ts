// Reading values of unknown shape (JSON from files and other programs) without trusting them.

/** A JSON object: read its fields with {@link field}. */
export type JsonObject = { readonly [key: string]: unknown };

/** Whether the value is an object with fields, not null and not an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** An own field of a value, by path; undefined when any step is absent. */
export function field(value: unknown, ...path: readonly string[]): unknown {
  let at = value;
  for (const step of path) {
    if (!isJsonObject(at) || !Object.hasOwn(at, step)) return undefined;
    at = at[step];
  }
  return at;
}

/** The string at a path, or undefined when there is none. */
export function text(value: unknown, ...path: readonly string[]): string | undefined {
  const found = field(value, ...path);
  return typeof found === "string" ? found : undefined;
}

/** The number at a path, or undefined when there is none. */
export function number(value: unknown, ...path: readonly string[]): number | undefined {
  const found = field(value, ...path);
  return typeof found === "number" && Number.isFinite(found) ? found : undefined;
}

/** The list at a path, or an empty one. */
export function list(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = field(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** The value a JSON text stands for, or undefined when it is not JSON. */
export function parseJson(source: string): unknown {
  try {
    return JSON.parse(source);
  } catch {
    return undefined;
  }
}
