import { isEqual, isList, isRecord, type JsonRecord, ownValue } from "@homeostat/core";

/** Fields of `metadata` that the server changes with every write. */
const serverManagedFields: ReadonlySet<string> = new Set(["resourceVersion", "generation", "managedFields"]);

/** Depth below which differences count as unexplained. */
const depthMax = 64;

/**
 * Reports whether every difference between two states of an object is part of what a write has sent. Then the result
 * contains nothing that the writer does not know, even if others wrote in the meantime.
 *
 * Returns false in doubt: for removed fields, and for lists whose length changed.
 *
 * @param sent The part of the object that was sent: the body of an apply, or a merge patch.
 */
export function isExplained(before: unknown, after: unknown, sent: unknown): boolean {
  if (!isRecord(before) || !isRecord(after) || !isRecord(sent)) return false;
  return everyKey(before, after, (key) => {
    const [was, is, sentValue] = [ownValue(before, key), ownValue(after, key), ownValue(sent, key)];
    if (key !== "metadata" || !isRecord(was) || !isRecord(is)) return isPartExplained(was, is, sentValue, 0);
    const fields = isRecord(sentValue) ? sentValue : {};
    return everyKey(
      was,
      is,
      (name) =>
        serverManagedFields.has(name) ||
        isPartExplained(ownValue(was, name), ownValue(is, name), ownValue(fields, name), 0),
    );
  });
}

function isPartExplained(was: unknown, is: unknown, sentValue: unknown, depth: number): boolean {
  if (isEqual(was, is) || (sentValue !== undefined && is !== undefined && isEqual(is, sentValue))) return true;
  if (depth === depthMax) return false;
  if (isRecord(was) && isRecord(is) && isRecord(sentValue)) {
    return everyKey(was, is, (key) =>
      isPartExplained(ownValue(was, key), ownValue(is, key), ownValue(sentValue, key), depth + 1),
    );
  }
  if (!isList(was) || !isList(is) || !isList(sentValue)) return false;
  // Elements are matched by position, which is possible only while all three lists have the same length.
  if (was.length !== is.length || is.length !== sentValue.length) return false;
  return is.every((element, i) => isPartExplained(was[i], element, sentValue[i], depth + 1));
}

function everyKey(a: JsonRecord, b: JsonRecord, test: (key: string) => boolean): boolean {
  for (const key of Object.keys(b)) if (!test(key)) return false;
  for (const key of Object.keys(a)) if (!Object.hasOwn(b, key) && !test(key)) return false;
  return true;
}
