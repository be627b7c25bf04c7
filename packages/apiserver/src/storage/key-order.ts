/** Code units from which UTF-16 and UTF-8 disagree about the order of two texts. */
const highUnit = /[\ud800-\uffff]/;
const highUnits = /[\ud800-\uffff]/g;

/**
 * A text that sorts, compared with `<`, where the key's UTF-8 bytes sort: the order in which etcd keeps keys.
 *
 * It is the key itself unless that has characters at the far end of Unicode. JavaScript compares code units, and puts the
 * surrogates of an emoji before U+FFFD; in UTF-8 they come after it. The two ranges are exchanged here. The order of a prefix
 * of a key is a prefix of the key's order.
 */
export function orderOf(key: string): string {
  return highUnit.test(key) ? key.replace(highUnits, exchanged) : key;
}

function exchanged(unit: string): string {
  const code = unit.charCodeAt(0);
  return String.fromCharCode(code < 0xe000 ? code + 0x2000 : code - 0x800);
}

/** The first order behind everything that begins with a prefix; `undefined` when nothing can be behind it. */
export function endOfPrefix(prefixOrder: string): string | undefined {
  for (let at = prefixOrder.length - 1; at >= 0; at -= 1) {
    const code = prefixOrder.charCodeAt(at);
    if (code < 0xffff) return prefixOrder.slice(0, at) + String.fromCharCode(code + 1);
  }
  return undefined;
}
