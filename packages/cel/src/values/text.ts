/** Compares strings by code point: -1, 0 or 1. JavaScript's `<` compares UTF-16 code units, which differs above U+FFFF. */
export function compareText(left: string, right: string): -1 | 0 | 1 {
  if (left === right) return 0;
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index++) {
    const a = left.charCodeAt(index);
    const b = right.charCodeAt(index);
    if (a === b) continue;
    // Surrogates encode code points above all that fit a single unit.
    if (isSurrogate(a) !== isSurrogate(b)) return isSurrogate(a) ? 1 : -1;
    return a < b ? -1 : 1;
  }
  return left.length < right.length ? -1 : 1;
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff;
}
