/** Code units whose order in UTF-16 differs from the order of their UTF-8 bytes. */
const highUnit = /[\ud800-\uffff]/;
const highUnits = /[\ud800-\uffff]/g;

/**
 * Returns a string that sorts, compared with `<`, as the UTF-8 bytes of the key do: the order in which etcd keeps keys.
 *
 * JavaScript compares UTF-16 code units. Surrogates (U+D800-U+DFFF, half of a character above U+FFFF) sort before
 * U+E000-U+FFFF there, but after them in UTF-8. This function exchanges the two ranges; keys without such characters,
 * nearly all, are returned as they are. The order of a prefix is a prefix of the order of the key, which range scans
 * rely on.
 */
export function orderOf(key: string): string {
  return highUnit.test(key) ? key.replace(highUnits, exchanged) : key;
}

function exchanged(unit: string): string {
  const code = unit.charCodeAt(0);
  return String.fromCharCode(code < 0xe000 ? code + 0x2000 : code - 0x800);
}

/** Returns the smallest order after everything with a prefix; undefined if there is none. */
export function endOfPrefix(prefixOrder: string): string | undefined {
  for (let at = prefixOrder.length - 1; at >= 0; at -= 1) {
    const code = prefixOrder.charCodeAt(at);
    if (code < 0xffff) return prefixOrder.slice(0, at) + String.fromCharCode(code + 1);
  }
  return undefined;
}
