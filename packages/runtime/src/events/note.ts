/** Maximum length of a note in bytes. The API server rejects longer ones. */
export const noteBytesMax = 1024;

const ellipsis = "…";
const ellipsisBytes = 3;

const shortEscapes: ReadonlyMap<number, string> = new Map([
  [0x09, "\\t"],
  [0x0a, "\\n"],
  [0x0d, "\\r"],
]);

/**
 * Returns a text as a valid note: at most 1,024 bytes, cut between two characters and marked with `…` if too long.
 *
 * Characters that move the cursor of a terminal, end a line or change the direction of text are escaped; an unpaired
 * surrogate becomes the replacement character. The cost does not depend on the length of the text.
 */
export function formatNote(text: string): string {
  let note = "";
  let bytes = 0;
  // The longest prefix that leaves space for the ellipsis.
  let cut = "";
  for (const character of text) {
    const shown = escaped(character);
    bytes += utf8Bytes(shown);
    if (bytes > noteBytesMax) return cut + ellipsis;
    note += shown;
    if (bytes <= noteBytesMax - ellipsisBytes) cut = note;
  }
  return note;
}

/** Returns the length of a text in UTF-8 bytes. */
export function utf8Bytes(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code >= 0xd800 && code <= 0xdfff) return "\ufffd";
  if (!isControl(code)) return character;
  return shortEscapes.get(code) ?? `\\u${code.toString(16).padStart(4, "0")}`;
}

function isControl(code: number): boolean {
  if (code < 0x20 || (code >= 0x7f && code <= 0x9f)) return true;
  // Unicode line and paragraph separators, and bidirectional control characters.
  return code === 0x2028 || code === 0x2029 || (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}
