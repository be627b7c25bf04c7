import { ArgumentError, formatPointer, isList, isRecord } from "@homeostat/core";

/**
 * Throws an `ArgumentError` if an object to be replaced contains an integer that JavaScript numbers cannot represent exactly.
 *
 * JSON numbers become JavaScript numbers, so an integer beyond 2^53 may have been rounded when the object was read. Replacing the
 * object would then write the rounded value, although the caller did not change that field. Patch and apply send only the
 * intended fields and are not affected.
 */
export function checkExact(object: unknown, text: string): void {
  // Scanning the text is cheap, and almost no object contains a number with this many digits.
  if (!/[:,[]-?\d{16}/.test(text)) return;
  const path = inexactPath(object, [], 0);
  if (path === undefined) return;
  throw new ArgumentError({
    argument: "object",
    problem: `has an integer at ${formatPointer(path)} that JavaScript cannot represent exactly, so replacing the object might change it. Patch or apply the intended fields instead.`,
  });
}

/** API objects are never nested this deep. */
const depthMax = 200;

function inexactPath(value: unknown, path: readonly string[], depth: number): readonly string[] | undefined {
  if (typeof value === "number") return Number.isInteger(value) && !Number.isSafeInteger(value) ? path : undefined;
  if (depth > depthMax || (!isList(value) && !isRecord(value))) return undefined;
  for (const [key, child] of Object.entries(value)) {
    const found = inexactPath(child, [...path, key], depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}
