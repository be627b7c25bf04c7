import { isEqual, isList, isRecord, type JsonRecord, ownValue } from "@homeostat/core";

/** What the server changes in `metadata` with every write, whoever makes it. */
const serversOwn: ReadonlySet<string> = new Set(["resourceVersion", "generation", "managedFields"]);

/** Nested deeper than this, nothing is taken for explained. */
const depthMax = 64;

/**
 * Whether everything in which an object differs from what it was is what a write has sent: then there is nothing in it that
 * the writer does not know, whoever else wrote meanwhile.
 *
 * Says no when in doubt: for what was removed, and for lists that changed their length.
 *
 * @param sent The part of the object that was sent: the body of an apply, or a merge patch.
 */
export function isExplained(before: unknown, after: unknown, sent: unknown): boolean {
  if (!isRecord(before) || !isRecord(after) || !isRecord(sent)) return false;
  return everyKey(before, after, (key) => {
    const [was, is, wanted] = [ownValue(before, key), ownValue(after, key), ownValue(sent, key)];
    if (key !== "metadata" || !isRecord(was) || !isRecord(is)) return isPartExplained(was, is, wanted, 0);
    const fields = isRecord(wanted) ? wanted : {};
    return everyKey(
      was,
      is,
      (name) =>
        serversOwn.has(name) || isPartExplained(ownValue(was, name), ownValue(is, name), ownValue(fields, name), 0),
    );
  });
}

function isPartExplained(was: unknown, is: unknown, wanted: unknown, depth: number): boolean {
  if (isEqual(was, is) || (wanted !== undefined && is !== undefined && isEqual(is, wanted))) return true;
  if (depth === depthMax) return false;
  if (isRecord(was) && isRecord(is) && isRecord(wanted)) {
    return everyKey(was, is, (key) =>
      isPartExplained(ownValue(was, key), ownValue(is, key), ownValue(wanted, key), depth + 1),
    );
  }
  if (!isList(was) || !isList(is) || !isList(wanted)) return false;
  // Elements of one list can be told apart by their places as long as there are as many of them everywhere.
  if (was.length !== is.length || is.length !== wanted.length) return false;
  return is.every((element, i) => isPartExplained(was[i], element, wanted[i], depth + 1));
}

function everyKey(a: JsonRecord, b: JsonRecord, test: (key: string) => boolean): boolean {
  for (const key of Object.keys(b)) if (!test(key)) return false;
  for (const key of Object.keys(a)) if (!Object.hasOwn(b, key) && !test(key)) return false;
  return true;
}
