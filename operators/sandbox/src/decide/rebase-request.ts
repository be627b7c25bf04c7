// The annotation with which users request a rebase.

/** Maximum number of characters of the annotation that are read. */
const lengthMax = 4096;

/**
 * Reports whether the annotation requests a rebase of an entry to a generation of its baseline.
 *
 * It is a list of generations, each for all entries or for one: `12` or `cart=12,orders=3`. A generation other than the current one is ignored: the
 * user has reviewed the differences to that generation, not to a later one.
 */
export function isRebaseRequested(text: string | undefined, entry: string, generation: number): boolean {
  if (text === undefined) return false;
  return text
    .slice(0, lengthMax)
    .split(",")
    .map((item) => item.trim())
    .some((item) => item === String(generation) || item === `${entry}=${generation}`);
}
