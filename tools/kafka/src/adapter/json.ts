/** Parses a JSON object. Returns an empty object for any other text. */
export function readObject(text: string): Readonly<Record<string, unknown>> {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return {};
  }
}

/** Returns an object with the fields of a value; an empty one if the value has none. */
export function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
