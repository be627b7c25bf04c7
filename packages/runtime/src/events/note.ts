/** How many bytes a note has at most. The server refuses more. */
export const noteBytesMax = 1024;

const ellipsis = "…";
const ellipsisBytes = 3;

const shortEscapes: ReadonlyMap<number, string> = new Map([
  [0x09, "\\t"],
  [0x0a, "\\n"],
  [0x0d, "\\r"],
]);

/**
 * A text fit to be the note of an event: of at most 1,024 bytes, cut between two characters, `…` at its end if so.
 *
 * Characters that would move the cursor of a terminal, end a line or turn the direction of text are written as escapes,
 * and half a surrogate pair as the replacement character. Takes no longer for a longer text.
 */
export function formatNote(text: string): string {
  let note = "";
  let bytes = 0;
  // The longest part that leaves room for the ellipsis.
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

/** How many bytes a text has in UTF-8. */
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
  // Line ends that are none in ASCII, and marks that turn the direction of what follows.
  return code === 0x2028 || code === 0x2029 || (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}
