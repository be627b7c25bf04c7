import type { IncomingMessage } from "node:http";

/** Why a body was not read to its end. */
export type BodyProblem = "too large" | "cut off" | "no memory";

/** Options of {@link readBody}. */
export interface ReadBodyOptions {
  readonly bytesMax: number;
  /** Reserves memory before it is used; false when there is none left. */
  readonly reserve: (bytes: number) => boolean;
}

/**
 * Reads the body of a request, or returns why there is none.
 *
 * Reads no more than `bytesMax`, whatever the headers promise. Pieces are copied into one growing buffer: kept as they come, a
 * body sent in chunks of one byte would take a hundred times its size.
 */
export function readBody(
  request: IncomingMessage,
  { bytesMax, reserve }: ReadBodyOptions,
): Promise<Uint8Array | BodyProblem> {
  if (Number(request.headers["content-length"] ?? 0) > bytesMax) return Promise.resolve("too large");
  let buffer = Buffer.alloc(0);
  let length = 0;
  return new Promise((resolve) => {
    let isDone = false;
    const finish = (result: Uint8Array | BodyProblem): void => {
      if (isDone) return;
      isDone = true;
      request.off("data", take);
      if (typeof result === "string") request.pause();
      buffer = Buffer.alloc(0);
      resolve(result);
    };
    const take = (piece: Buffer): void => {
      const needed = length + piece.length;
      if (needed > bytesMax) return finish("too large");
      if (needed > buffer.length) {
        const grown = Math.min(bytesMax, Math.max(needed, 2 * buffer.length, firstBytes));
        if (!reserve(grown - buffer.length)) return finish("no memory");
        const next = Buffer.allocUnsafeSlow(grown);
        buffer.copy(next, 0, 0, length);
        buffer = next;
      }
      piece.copy(buffer, length);
      length = needed;
    };
    request.on("data", take);
    request.on("end", () => finish(buffer.subarray(0, length)));
    request.on("error", () => finish("cut off"));
    request.on("close", () => finish("cut off"));
  });
}

/** As long as most reviews. */
const firstBytes = 16 * 1024;

/** How much of an unwanted body is read, so that the client gets to read the response. */
const discardBytesMax = 1024 * 1024;

/** Reads the rest of a short body and drops it: closing a connection with unread data makes the client lose the response. */
export function discardBody(request: IncomingMessage): Promise<void> {
  let length = 0;
  return new Promise((resolve) => {
    request.on("data", (piece: Buffer) => {
      length += piece.length;
      if (length <= discardBytesMax) return;
      request.pause();
      resolve();
    });
    request.on("end", resolve);
    request.on("error", () => resolve());
    request.on("close", resolve);
    request.resume();
  });
}
