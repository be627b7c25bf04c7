/** Marker before a timestamp in nanoseconds inside an object. */
export const stampMark = "stamp=";

/** Fixed number of digits of a timestamp, enough for any uptime. */
export const stampDigits = 18;

const length = stampMark.length + stampDigits;

/** Finds the timestamps in the bytes of a watch without parsing the events. */
export class StampReader {
  #tail: Buffer = Buffer.alloc(0);

  /** Returns the timestamps that end in these bytes. */
  take(piece: Buffer): number[] {
    const found: number[] = [];
    // A timestamp may have started in the previous bytes.
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

/** Formats a timestamp with its marker. */
export function stampOf(ns: number): string {
  return `${stampMark}${String(ns).padStart(stampDigits, "0")}`;
}
