/** Stands before a time in nanoseconds, within an object. */
export const stampMark = "stamp=";

/** How many digits a stamp has: enough for any uptime, and always the same. */
export const stampDigits = 18;

const length = stampMark.length + stampDigits;

/** Finds the stamps in what a watch sends, without reading the rest. */
export class StampReader {
  #tail: Buffer = Buffer.alloc(0);

  /** The stamps that end in these bytes. */
  take(piece: Buffer): number[] {
    const found: number[] = [];
    // One may have begun in the bytes before.
    const kept = this.#tail.length;
    if (kept > 0) collect(Buffer.concat([this.#tail, piece.subarray(0, length - 1)]), found);
    collect(piece, found);
    this.#tail =
      piece.length >= length - 1
        ? Buffer.from(piece.subarray(piece.length - length + 1))
        : Buffer.concat([this.#tail, piece]).subarray(-(length - 1));
    return found;
  }
}

function collect(bytes: Buffer, found: number[]): void {
  for (let at = bytes.indexOf(stampMark); at >= 0; at = bytes.indexOf(stampMark, at + length)) {
    if (at + length > bytes.length) return;
    found.push(Number(bytes.toString("latin1", at + stampMark.length, at + length)));
  }
}

/** The text of a stamp. */
export function stampOf(ns: number): string {
  return `${stampMark}${String(ns).padStart(stampDigits, "0")}`;
}
