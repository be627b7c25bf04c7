/** Returns the length of a text in UTF-8 bytes. An unpaired surrogate counts as the replacement character, three bytes. */
export function utf8Length(text: string): number {
  let length = text.length;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) continue;
    length += unit < 0x800 ? 1 : 2;
    // A surrogate pair has two code units and four bytes.
    if (isPair(text, at)) at += 1;
  }
  return length;
}

/** Returns the number of code points of a text. An unpaired surrogate counts as one. */
export function codePointLength(text: string): number {
  let length = text.length;
  for (let at = 0; at < text.length; at += 1) {
    if (!isPair(text, at)) continue;
    length -= 1;
    at += 1;
  }
  return length;
}

/** Reports whether there is a surrogate pair at a position. */
function isPair(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
}
