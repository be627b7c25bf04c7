/** How many bytes a text has in UTF-8. Half a surrogate pair counts as the replacement character, three bytes. */
export function utf8Length(text: string): number {
  let length = text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) continue;
    length += unit < 0x800 ? 1 : 2;
    // A pair is two units and four bytes.
    if (unit >= 0xd800 && unit < 0xdc00 && isLowSurrogate(text, at + 1)) at += 1;
  }
  return length;
}

/** How many code points a text has. */
export function codePointLength(text: string): number {
  let length = text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit >= 0xd800 && unit < 0xdc00 && isLowSurrogate(text, at + 1)) {
      length -= 1;
      at += 1;
    }
  }
  return length;
}

function isLowSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit < 0xe000;
}
