import { type LineOptions, LineSplitter } from "../scan/line-splitter.ts";

/**
 * Returns the lines of a stream of bytes, without their line feeds.
 *
 * The bytes after the last line feed are a line as well. A line longer than `bytesMax` throws a `TooLongError` and closes the
 * stream.
 */
export function linesOf(source: AsyncIterable<Uint8Array>, options: LineOptions = {}): AsyncIterableIterator<Buffer> {
  const pieces = source[Symbol.asyncIterator]();
  const ready: Buffer[] = [];
  let at = 0;
  let isOver = false;
  const splitter = new LineSplitter((line) => ready.push(line), options);
  const take = (): Buffer | undefined => {
    const line = ready[at];
    at += 1;
    if (at >= ready.length) {
      ready.length = 0;
      at = 0;
    }
    return line;
  };
  const close = async (): Promise<void> => {
    isOver = true;
    await pieces.return?.();
  };
  const lines: AsyncIterableIterator<Buffer> = {
    [Symbol.asyncIterator]: () => lines,
    async next() {
      for (let line = take(); ; line = take()) {
        if (line !== undefined) return { done: false, value: line };
        if (isOver) return { done: true, value: undefined };
        const piece = await pieces.next();
        try {
          if (piece.done === true) {
            isOver = true;
            splitter.finish();
          } else splitter.push(asBuffer(piece.value));
        } catch (error) {
          await close();
          throw error;
        }
      }
    },
    async return() {
      ready.length = 0;
      await close();
      return { done: true, value: undefined };
    },
  };
  return lines;
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
