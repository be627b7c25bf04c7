import { ArgumentError, formatPointer, isList, isRecord } from "@homeostat/core";

/**
 * Refuses to send back a whole object that holds an integer beyond what JavaScript's numbers hold exactly.
 *
 * JSON numbers become JavaScript numbers here, so an integer beyond 2^53 may have been rounded when the object was read;
 * to replace the object would write the rounded value, without anybody having asked for it. A patch or an apply, which
 * sends only what was meant, is not affected.
 */
export function checkExact(object: unknown, text: string): void {
  // A look at the text costs next to nothing; most objects have no number this long.
  if (!/[:,[]-?\d{16}/.test(text)) return;
  const path = inexactPath(object, [], 0);
  if (path === undefined) return;
  throw new ArgumentError({
    argument: "object",
    problem: `has an integer at ${formatPointer(path)} that is too large to be exact in JavaScript, and replacing the object might change it. Patch or apply the fields that you mean to change.`,
  });
}

/** Objects of an API server are not this deep. */
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
